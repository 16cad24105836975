import { startBackgroundJob } from "../../base/background-job.ts";
import { largeGarbage } from "../../base/large-garbage.ts";
import { historyWentBack } from "../../cluster/history-went-back.ts";
import { type AppContext, perServer } from "../../context.ts";
import type { BrokerMessage } from "../../realtime/broker/broker.ts";
import { onControl } from "../../realtime/control/control.ts";
import { reportLoss } from "../../realtime/doubt.ts";
import { channelTopic } from "../../realtime/topics.ts";
import { beforePublication } from "../events.ts";
import { ChannelFeed, MissingEvent } from "./channel-feed.ts";
import { TailChecks } from "./tail-checks.ts";
import { TailReads } from "./tail-reads.ts";

/** Feeds kept; above this, the least recently used one without a local listener is evicted. */
const FEEDS_MAX = 1_000;
/** If all feeds have listeners, so many are made before the next search for one that has none. */
const UNSEARCHED = 100;
/** Channels that nobody reads or listens to for this long are forgotten. */
const IDLE_MS = 60_000;
/** The share of the budget still used after making room, so that the next message does not trigger it again. */
const LEFT = 3 / 4;
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
  /** The uses before the last search for idle feeds. */
  #usesBefore = 0;
  #isShrinking = false;
  /** The number of feeds above which one is evicted. */
  #crowdedAt = FEEDS_MAX;
  /** Channels that may have unpublished events. */
  readonly #doubtful = new Set<number>();
  /** The channel whose feed is being made, which holds the topic. */
  #making = 0;
  readonly #tails: TailReads;
  /** Only on a node of a cluster. */
  readonly #checks: TailChecks | undefined;

  constructor(ctx: AppContext) {
    this.#ctx = ctx;
    this.#tails = new TailReads(ctx, (channelId) => this.peek(channelId)?.lastSeq);
    if (ctx.cluster !== null) this.#checks = this.#startChecks();
    this.#bytesMax = ctx.config.feedMemoryMib * 1024 * 1024;
    ctx.metrics.feedMemoryFrom(() => this.#bytes);
  }

  #startChecks(): TailChecks {
    const feeds = this.#feeds;
    const checked = {
      get size() {
        return feeds.size;
      },
      all: () => feeds.values(),
      peek: (channelId: number) => feeds.get(channelId),
      isHeld: (feed: ChannelFeed) => this.#isHeld(feed),
      end: (feed: ChannelFeed) => this.#end(feed),
    };
    const checks = new TailChecks(this.#ctx, checked, this.#tails);
    checks.start();
    // The broker may lose the first event of a channel, so a topic that is only listened to needs a feed, too.
    this.#ctx.hub.onHeld((topic) => {
      const channelId = channelOf(topic);
      if (channelId !== undefined && channelId !== this.#making && this.peek(channelId) === undefined)
        this.get(channelId);
    });
    beforePublication(this.#ctx, (channelId, messages) => this.#compare(channelId, messages));
    return checks;
  }

  /** Compares what this node has committed with what was delivered already. */
  #compare(channelId: number, messages: readonly BrokerMessage[]): void {
    const feed = this.peek(channelId);
    const found = feed && messages.find((message) => feed.isContradictedBy(message));
    if (feed === undefined || found?.seq === undefined) return;
    historyWentBack(this.#ctx, { channelId, passedOn: feed.lastSeq, found: found.seq }).catch((err: unknown) =>
      this.#ctx.log.error({ err }, "changing the epoch failed"),
    );
  }

  /** Returns the channel's feed when it has everything that was committed before this call. */
  async fresh(channelId: number): Promise<ChannelFeed> {
    const found = this.peek(channelId);
    // A feed that is made now reads the database after this call.
    if (found !== undefined && found.failure === undefined) {
      const last = await this.#tails.of(channelId);
      if (last !== undefined) await this.get(channelId).reach(last);
    }
    const feed = this.get(channelId);
    if (!feed.isReady) await feed.ready();
    return feed;
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
    this.#making = channelId;
    const made = new ChannelFeed(this.#ctx, channelId, after, (change) => this.#count(change));
    this.#making = 0;
    this.#feeds.set(channelId, made);
    this.#checks?.began(made);
    if (this.#feeds.size > this.#crowdedAt) this.#evict();
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

  /** Retries failed feeds that have local listeners, rechecks channels in doubt, and ends feeds of deleted channels. */
  revive(): void {
    this.#crowdedAt = FEEDS_MAX;
    for (const channelId of this.#doubtful) this.peek(channelId)?.recheck();
    this.#doubtful.clear();
    for (const [channelId, feed] of this.#feeds) {
      if (feed.failure !== undefined && this.#isHeld(feed)) this.get(channelId);
      else if (feed.isOver && feed.isIdle && !this.#isHeld(feed)) this.#end(feed);
    }
  }

  /** Gives back the memory of channels without listeners that were not read since the last call. */
  forgetIdle(): void {
    const before = this.#bytes;
    for (const feed of this.#feeds.values())
      if (feed.usedAt <= this.#usesBefore && feed.isIdle && !this.#isHeld(feed)) feed.memory.forget();
    this.#usesBefore = this.#uses;
    // An idle server would keep it until something else needs memory.
    largeGarbage(this.#ctx).note(before - this.#bytes);
  }

  /** True if others than the feed listen to the channel. */
  #isHeld({ channelId }: ChannelFeed): boolean {
    return this.#ctx.hub.holders(channelTopic(channelId)) > 1;
  }

  /** Evicts the least recently used feed without local listeners. */
  #evict(): void {
    let oldest: ChannelFeed | undefined;
    for (const feed of this.#feeds.values()) {
      if (!feed.isIdle || this.#isHeld(feed)) continue;
      if (oldest === undefined || feed.usedAt < oldest.usedAt) oldest = feed;
    }
    if (oldest !== undefined) this.#end(oldest);
    else this.#crowdedAt = this.#feeds.size + UNSEARCHED;
  }

  #end(feed: ChannelFeed): void {
    feed.close();
    this.#feeds.delete(feed.channelId);
  }
}

/** The feeds of this server. */
export const feeds = perServer((ctx) => {
  const made = new Feeds(ctx);
  onControl(ctx, "history_rewritten", ({ channelId, seq }) => made.peek(channelId)?.rewritten(seq));
  onControl(ctx, "events_in_doubt", (channelId) => made.doubt(channelId));
  startBackgroundJob(ctx, AGAIN_MS, "reading a channel's feed again failed", async () => made.revive());
  startBackgroundJob(ctx, IDLE_MS, "forgetting idle channels failed", async () => made.forgetIdle());
  return made;
});

/** Starts the feeds. On a node of a cluster, every channel that somebody listens to has one from then on. */
export function startFeeds(ctx: AppContext): void {
  feeds(ctx);
}

/** Returns the channel's loaded feed. Synchronous if it is in memory. */
export function channelFeed(ctx: AppContext, channelId: number): ChannelFeed | Promise<ChannelFeed> {
  const feed = feeds(ctx).get(channelId);
  return feed.isReady ? feed : feed.ready().then(() => feed);
}

/**
 * Returns the channel's feed, which has everything that any node acknowledged before this call. On a lone server that
 * is the loaded feed, synchronous if it is in memory; on a node of a cluster it asks the database first.
 */
export function freshFeed(ctx: AppContext, channelId: number): ChannelFeed | Promise<ChannelFeed> {
  return ctx.cluster === null ? channelFeed(ctx, channelId) : feeds(ctx).fresh(channelId);
}

/**
 * Returns the seq of the channel's last durable event, of whichever node. Synchronous on a lone server if the feed is
 * in memory.
 */
export function lastSeq(ctx: AppContext, channelId: number): number | Promise<number> {
  const feed = freshFeed(ctx, channelId);
  return feed instanceof ChannelFeed ? feed.lastSeq : feed.then((loaded) => loaded.lastSeq);
}

/** Passes messages from the broker to the hub, those of channel topics through their feed. */
export function receive(ctx: AppContext, topic: string, messages: readonly BrokerMessage[]): void {
  const channelId = channelOf(topic);
  const feed = channelId === undefined ? undefined : feeds(ctx).peek(channelId);
  if (feed === undefined) ctx.hub.deliver(topic, messages);
  else feed.accept(messages);
}

/** Lets a channel's feed, or the listeners of another topic, read the events that the broker did not carry. */
export function receiveGap(ctx: AppContext, topic: string, seq: number | null): void {
  const channelId = channelOf(topic);
  if (channelId === undefined) reportLoss(ctx, topic);
  const feed = channelId === undefined ? undefined : feeds(ctx).peek(channelId);
  if (seq === null) feed?.recheck();
  else feed?.know(seq);
}

/** Returns the channel of a channel's topic. */
const channelOf = (topic: string): number | undefined => (topic.startsWith("c:") ? Number(topic.slice(2)) : undefined);
