import { expect } from "bun:test";
import { eventually } from "../../../server/test/support/servers/test-server.ts";
import type { ParleyClient } from "../../src/client.ts";
import type { ParleyError } from "../../src/errors.ts";
import type { ChannelSubscription } from "../../src/realtime/channel-subscription.ts";
import type { RealtimeClient } from "../../src/realtime/realtime-client.ts";
import type { ChannelEvent, EphemeralEvent, SubscribeOptions } from "../../src/realtime/subscription-types.ts";

/** A consumer of a feed that records what it receives. */
export class RecordingSubscriber implements Disposable {
  readonly feed: ChannelSubscription;
  readonly live: RealtimeClient;
  readonly events: ChannelEvent[] = [];
  readonly passing: EphemeralEvent[] = [];
  readonly paged: { afterSeq: number; upToSeq: number }[] = [];
  joins = 0;
  resets = 0;
  ended: ParleyError | null = null;

  constructor(client: ParleyClient, live: RealtimeClient, options: Partial<SubscribeOptions> = {}) {
    this.live = live;
    this.feed = client.subscribe(live, {
      channel: "general",
      onEvent: (event) => this.events.push(event),
      onEphemeral: (event) => this.passing.push(event),
      onJoined: () => {
        this.joins += 1;
      },
      onBackfill: (range) => this.paged.push(range),
      onReset: () => {
        this.resets += 1;
      },
      onClose: (error) => {
        this.ended = error;
      },
      ...options,
    });
  }

  get seqs(): number[] {
    return this.events.map(({ data }) => data.seq);
  }

  get texts(): string[] {
    return this.events.flatMap((event) => (event.event === "message:new" ? [event.data.chat_message.content] : []));
  }

  /** Waits until the feed's position is at least a seq. */
  async reaches(seq: number, timeoutMs?: number): Promise<void> {
    await eventually(`the feed stands at ${seq}`, () => (this.feed.position?.seq ?? -1) >= seq, timeoutMs);
  }

  async isJoined(): Promise<void> {
    await eventually("the feed has joined", () => this.feed.position !== null);
  }

  /** Each number from `first` to `last` once and in order. */
  expectRun(first: number, last: number): void {
    expect(this.seqs).toEqual(Array.from({ length: last - first + 1 }, (_, index) => first + index));
  }

  [Symbol.dispose](): void {
    this.feed.close();
    this.live.close();
  }
}
