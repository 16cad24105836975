import { startBackgroundJob } from "../base/background-job.ts";
import { type AppContext, perServer } from "../context.ts";
import type { BrokerMessage } from "../realtime/broker.ts";
import { onControl } from "../realtime/control.ts";
import { channelTopic } from "../realtime/topics.ts";
import { ChannelFeed, MissingEvent } from "./channel-feed.ts";

/** Feeds kept; above this, the least recently used one without a local listener is evicted. */
const FEEDS_MAX = 1_000;
/** The share of the budget still used after making room, so that the next message does not trigger it again. */
const LEFT = 7 / 8;
/** Interval at which unreadable channels with listeners are retried. */
const AGAIN_MS = 1_000;

/** The channel feeds of this node. */
class Feeds {
  readonly #ctx: AppContext;
  readonly #feeds = new Map<number, ChannelFeed>();
  /** Bytes of all feeds in memory; `#bytesMax` is their budget (protocol §4). */
  #bytes = 0;
  readonly #bytesMax: number;
  #uses = 0;
  #isShrinking = false;
  /** Channels that may have unpublished events. */
  readonly #doubtful = new Set<number>();

  constructor(ctx: AppContext) {
    this.#ctx = ctx;
    this.#bytesMax = ctx.config.feedMemoryMib * 1024 * 1024;
    ctx.metrics.feedMemoryFrom(() => this.#bytes);
  }

  get(channelId: number): ChannelFeed {
    const found = this.#feeds.get(channelId);
    const feed = found !== undefined && found.failure === undefined ? found : this.#make(channelId, found);
    feed.usedAt = ++this.#uses;
    return feed;
  }

  #make(channelId: number, failed: ChannelFeed | undefined): ChannelFeed {
    failed?.close();
    const after = failed?.failure instanceof MissingEvent ? -1 : (failed?.lastSeq ?? -1);
    const made = new ChannelFeed(this.#ctx, channelId, after, (change) => this.#count(change));
    this.#feeds.set(channelId, made);
    if (this.#feeds.size > FEEDS_MAX) this.#evict();
    return made;
  }

  #count(change: number): void {
    this.#bytes += change;
    if (this.#bytes <= this.#bytesMax || this.#isShrinking) return;
    this.#isShrinking = true;
    // After the feed's current step.
    queueMicrotask(() => this.#shrink());
  }

  /** Frees memory: the least recently used feeds drop theirs and are read from the database again. */
  #shrink(): void {
    const byUse = [...this.#feeds.values()].sort((a, b) => a.usedAt - b.usedAt);
    for (const { memory } of byUse) {
      if (this.#bytes <= LEFT * this.#bytesMax) break;
      memory.forget();
    }
    this.#isShrinking = false;
  }

  peek(channelId: number): ChannelFeed | undefined {
    return this.#feeds.get(channelId);
  }

  doubt(channelId: number): void {
    this.#doubtful.add(channelId);
  }

  /** Retries failed feeds that have local listeners, and rechecks channels in doubt. */
  revive(): void {
    for (const channelId of this.#doubtful) this.peek(channelId)?.recheck();
    this.#doubtful.clear();
    for (const [channelId, { failure }] of this.#feeds) {
      if (failure !== undefined && this.#ctx.hub.holders(channelTopic(channelId)) > 1) this.get(channelId);
    }
  }

  /** Evicts the least recently used feed without local listeners. */
  #evict(): void {
    let oldest: ChannelFeed | undefined;
    for (const feed of this.#feeds.values()) {
      if (!feed.isReady || this.#ctx.hub.holders(channelTopic(feed.channelId)) > 1) continue;
      if (oldest === undefined || feed.usedAt < oldest.usedAt) oldest = feed;
    }
    if (oldest === undefined) return;
    oldest.close();
    this.#feeds.delete(oldest.channelId);
  }
}

const feeds = perServer((ctx) => {
  const made = new Feeds(ctx);
  onControl(ctx, "history_rewritten", (subject) => {
    const [channelId = 0, seq = 0] = subject.split(":").map(Number);
    made.peek(channelId)?.rewritten(seq);
  });
  onControl(ctx, "events_in_doubt", (channelId) => made.doubt(Number(channelId)));
  startBackgroundJob(ctx, AGAIN_MS, "reading a channel's feed again failed", async () => made.revive());
  return made;
});

/** Returns the channel's loaded feed. Synchronous if it is in memory. */
export function channelFeed(ctx: AppContext, channelId: number): ChannelFeed | Promise<ChannelFeed> {
  const feed = feeds(ctx).get(channelId);
  return feed.isReady ? feed : feed.ready().then(() => feed);
}

/** Returns the seq of the channel's last durable event. Synchronous if its feed is in memory. */
export function lastSeq(ctx: AppContext, channelId: number): number | Promise<number> {
  const feed = channelFeed(ctx, channelId);
  return feed instanceof ChannelFeed ? feed.lastSeq : feed.then((loaded) => loaded.lastSeq);
}

/** Passes messages from the broker to the hub, those of channel topics through their feed. */
export function receive(ctx: AppContext, topic: string, messages: readonly BrokerMessage[]): void {
  const feed = topic.startsWith("c:") ? feeds(ctx).peek(Number(topic.slice(2))) : undefined;
  if (feed === undefined) ctx.hub.deliver(topic, messages);
  else feed.accept(messages);
}
