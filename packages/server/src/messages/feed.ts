import { type AppContext, perServer } from "../context.ts";
import type { BusMessage } from "../realtime/broker.ts";
import { onControl } from "../realtime/control.ts";
import { channelTopic } from "../realtime/topics.ts";
import { repeat } from "../repeat.ts";
import { ChannelFeed, MissingEvent } from "./channel-feed.ts";

/** Channels kept without a local listener. */
const FEEDS_MAX = 1_000;
/** Share of the budget that remains in use after making room, so that the next message need not do it again. */
const LEFT = 7 / 8;
/** How soon a channel that could not be read is read again for those who listen. */
const AGAIN_MS = 1_000;

/** The feeds of this node. */
class Feeds {
  readonly #ctx: AppContext;
  readonly #feeds = new Map<number, ChannelFeed>();
  /** Bytes that all feeds hold in memory; `#bytesMax` is their budget (protocol §4). */
  #bytes = 0;
  readonly #bytesMax: number;
  #uses = 0;
  #isShrinking = false;
  /** Channels that may have events nobody was told of. */
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
    // After the feed has finished its present step.
    queueMicrotask(() => this.#shrink());
  }

  /** Makes room: the least recently read channels drop their memory and are read from the database again. */
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

  /** Reads again what could not be read, where somebody here listens, and what is in doubt: by now the database may know. */
  revive(): void {
    for (const channelId of this.#doubtful) this.peek(channelId)?.recheck();
    this.#doubtful.clear();
    for (const [channelId, { failure }] of this.#feeds) {
      if (failure !== undefined && this.#ctx.hub.holders(channelTopic(channelId)) > 1) this.get(channelId);
    }
  }

  /** Removes the least recently read channel without local listeners. */
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
  repeat(ctx, AGAIN_MS, "a channel's feed could not be read again", async () => made.revive());
  return made;
});

/** The channel's feed, loaded. Sync when it is in memory. */
export function channelFeed(ctx: AppContext, channelId: number): ChannelFeed | Promise<ChannelFeed> {
  const feed = feeds(ctx).get(channelId);
  return feed.isReady ? feed : feed.ready().then(() => feed);
}

/** The number of the channel's last durable event. */
export function lastSeq(ctx: AppContext, channelId: number): number | Promise<number> {
  const feed = channelFeed(ctx, channelId);
  return feed instanceof ChannelFeed ? feed.lastSeq : feed.then((loaded) => loaded.lastSeq);
}

/** The bus's messages for channel topics come through here on their way to the hub; others go straight. */
export function receive(ctx: AppContext, topic: string, messages: readonly BusMessage[]): void {
  const feed = topic.startsWith("c:") ? feeds(ctx).peek(Number(topic.slice(2))) : undefined;
  if (feed === undefined) ctx.hub.deliver(topic, messages);
  else feed.accept(messages);
}
