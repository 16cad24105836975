import { expect } from "bun:test";
import { eventually } from "../../../server/test/support/servers/test-server.ts";
import type { ChannelFeed } from "../../src/channel-feed.ts";
import type { ParleyClient } from "../../src/client.ts";
import type { ParleyError } from "../../src/errors.ts";
import type { FeedEvent, FeedOptions, PassingEvent } from "../../src/feed-types.ts";
import type { LiveConnection } from "../../src/live.ts";

/** A consumer of a feed that records what it receives. */
export class Follower implements Disposable {
  readonly feed: ChannelFeed;
  readonly live: LiveConnection;
  readonly events: FeedEvent[] = [];
  readonly passing: PassingEvent[] = [];
  readonly paged: { afterSeq: number; upToSeq: number }[] = [];
  joins = 0;
  resets = 0;
  ended: ParleyError | null = null;

  constructor(client: ParleyClient, live: LiveConnection, options: Partial<FeedOptions> = {}) {
    this.live = live;
    this.feed = client.follow(live, {
      channel: "general",
      onEvent: (event) => this.events.push(event),
      onPassing: (event) => this.passing.push(event),
      onJoined: () => {
        this.joins += 1;
      },
      onPaged: (range) => this.paged.push(range),
      onReset: () => {
        this.resets += 1;
      },
      onEnded: (error) => {
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
