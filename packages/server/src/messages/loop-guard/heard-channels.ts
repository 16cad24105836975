import type { SenderType } from "@parley/protocol/models";
import { LRUCache } from "lru-cache";
import { startBackgroundJob } from "../../base/background-job.ts";
import { type AppContext, perServer } from "../../context.ts";
import { channelFeed } from "../../event-log/feed/feed.ts";
import { onFeedMessage } from "../../event-log/feed/feed-listeners.ts";
import { hook } from "../../hook.ts";
import { channelTopic } from "../../realtime/topics.ts";
import { QUIET_MS } from "./loop-guard-rules.ts";

const CHANNELS_MAX = 10_000;
const SWEEP_MS = 60_000;

/** The sender of a message. */
export interface Speaker {
  kind: "user" | "agent" | "system";
  id: number;
  /** The name the message is shown under; agents only. */
  name?: string;
}

interface Handler {
  /** A message of whichever node, in order of `seq`, before its sender is answered if this node wrote it. */
  note(channelId: number, speaker: Speaker, seq: number): void;
  /** The channel is no longer heard: what was noted about it becomes stale. */
  forget(channelId: number): void;
}

interface Heard {
  /** null when the channel's feed is loaded. */
  ready: Promise<void> | null;
  /** Monotonic time. */
  usedAt: number;
}

/**
 * The channels whose senders this node of a cluster follows, because agents speak there. They end after ten minutes in
 * which no agent spoke and nobody asked.
 */
class HeardChannels {
  readonly #ctx: AppContext;
  readonly #channels: LRUCache<number, Heard>;

  constructor(ctx: AppContext) {
    this.#ctx = ctx;
    this.#channels = new LRUCache({
      max: CHANNELS_MAX,
      dispose: (_, channelId) => {
        ctx.hub.release(channelTopic(channelId));
        for (const { forget } of onHeard.of(ctx)) forget(channelId);
      },
    });
    onFeedMessage(ctx, (channelId, { event, seq, message }) => {
      if (event !== "message:new" || seq === undefined || message === undefined) return;
      this.#pass(channelId, seq, message.json);
    });
    ctx.cluster?.onRejoined(() => this.#channels.clear());
    startBackgroundJob(ctx, SWEEP_MS, "ending unused channels of the loop guard failed", async () => this.#sweep());
  }

  hear(channelId: number): Promise<void> | undefined {
    const found = this.#channels.get(channelId);
    if (found !== undefined) {
      found.usedAt = this.#ctx.clock.monotonic();
      return found.ready ?? undefined;
    }
    const made: Heard = { ready: null, usedAt: this.#ctx.clock.monotonic() };
    this.#channels.set(channelId, made);
    made.ready = this.#start(channelId).then(
      () => {
        made.ready = null;
      },
      (error: unknown) => {
        if (this.#channels.peek(channelId) === made) this.#channels.delete(channelId);
        throw error;
      },
    );
    return made.ready;
  }

  async #start(channelId: number): Promise<void> {
    await this.#ctx.hub.retain(channelTopic(channelId));
    await channelFeed(this.#ctx, channelId);
  }

  #pass(channelId: number, seq: number, json: string): void {
    const heard = this.#channels.peek(channelId);
    if (heard === undefined) return;
    const record = JSON.parse(json) as {
      sender_type: SenderType;
      agent_id: number | null;
      agent_name?: string;
    };
    if (record.sender_type === "agent") heard.usedAt = this.#ctx.clock.monotonic();
    // A webhook is no person, and no agent either.
    const kind = record.sender_type === "webhook" ? "system" : record.sender_type;
    const speaker: Speaker = { kind, id: record.agent_id ?? 0, name: record.agent_name ?? "" };
    for (const { note } of onHeard.of(this.#ctx)) note(channelId, speaker, seq);
  }

  #sweep(): void {
    const until = this.#ctx.clock.monotonic() - QUIET_MS;
    for (const [channelId, { usedAt, ready }] of [...this.#channels]) {
      if (ready === null && usedAt < until) this.#channels.delete(channelId);
    }
  }
}

const heardChannels = perServer((ctx) => new HeardChannels(ctx));

/**
 * Follows the senders of a channel on all nodes of the cluster. Resolves when the handlers hear every later message;
 * undefined if they already do, and on a lone server, where `noteMessage` receives all messages.
 */
export function hearChannel(ctx: AppContext, channelId: number): Promise<void> | undefined {
  return ctx.cluster === null ? undefined : heardChannels(ctx).hear(channelId);
}

/** Handles the channels that `hearChannel` follows: none on a lone server. */
export const onHeard = hook<Handler>();
