import { startBackgroundJob } from "../../base/background-job.ts";
import type { AppContext } from "../../context.ts";
import { channelTopic } from "../../realtime/topics.ts";
import type { ChannelFeed } from "./channel-feed.ts";
import type { TailReads } from "./tail-reads.ts";

/** Interval of the checks: channels in doubt are checked each time. */
const EVERY_MS = 500;
/** Each held channel is checked once in this time, even when all is well. */
const ROUND_MS = 10_000;
/** A feed without listeners and readers ends after this time. */
const UNHEARD_MS = 60_000;

/** The feeds of a node, as the checks see them. */
export interface CheckedFeeds {
  readonly size: number;
  /** A live view: it may be walked while feeds come and go. */
  all(): IterableIterator<ChannelFeed>;
  peek(channelId: number): ChannelFeed | undefined;
  /** True if a socket, a stream or a slice of this node listens to the channel. */
  isHeld(feed: ChannelFeed): boolean;
  end(feed: ChannelFeed): void;
}

/**
 * Compares held channels with the database on a node of a cluster, because a bus may lose the last event of a channel
 * without anybody noticing: all of them after a disturbance, those in doubt twice a second, the others in turn.
 */
export class TailChecks {
  readonly #ctx: AppContext;
  readonly #feeds: CheckedFeeds;
  readonly #tails: Pick<TailReads, "ofAll">;
  #ring: IterableIterator<ChannelFeed>;
  #isAllDue = false;
  /** True if the broker may doubt the topic of a feed: it did when it last reported a change, or when a feed began. */
  #isInDoubt = false;
  #running: Promise<void> | undefined;
  /** Since when feeds are unheard, in monotonic milliseconds, with their last use. */
  readonly #unheard = new WeakMap<ChannelFeed, { usedAt: number; since: number }>();

  constructor(ctx: AppContext, feeds: CheckedFeeds, tails: Pick<TailReads, "ofAll">) {
    this.#ctx = ctx;
    this.#feeds = feeds;
    this.#tails = tails;
    this.#ring = feeds.all();
  }

  start(): void {
    const { broker, cluster } = this.#ctx;
    startBackgroundJob(this.#ctx, EVERY_MS, "comparing channels with the database failed", () => this.run());
    broker.onHealth(() => {
      this.#isInDoubt = [...this.#feeds.all()].some((feed) => this.#isDoubtful(feed));
      this.checkAll();
    });
    cluster?.onNodes(({ gone }) => {
      // It may have died between a commit and its publication.
      if (gone.length > 0) this.checkAll();
    });
    cluster?.onRejoined(() => {
      for (const { memory } of this.#feeds.all()) memory.forget();
      this.checkAll();
    });
  }

  /** Takes note of a new feed, whose topic may be in doubt already. */
  began(feed: ChannelFeed): void {
    this.#isInDoubt ||= this.#isDoubtful(feed);
  }

  /** Checks all held channels now. */
  checkAll(): void {
    this.#isAllDue = true;
    this.run().catch((err: unknown) => this.#ctx.log.warn({ err }, "comparing channels with the database failed"));
  }

  /** Runs one pass, or joins the one that runs. */
  run(): Promise<void> {
    this.#running ??= this.#pass().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #pass(): Promise<void> {
    const isAll = this.#isAllDue;
    this.#isAllDue = false;
    try {
      await this.#check(isAll ? [...this.#feeds.all()].filter((feed) => this.#feeds.isHeld(feed)) : this.#due());
    } catch (error) {
      this.#isAllDue ||= isAll;
      throw error;
    }
  }

  async #check(feeds: readonly ChannelFeed[]): Promise<void> {
    const found = await this.#tails.ofAll(feeds.map(({ channelId }) => channelId));
    for (const [channelId, last] of found) this.#feeds.peek(channelId)?.know(last);
  }

  /** Returns the feeds whose turn it is, and those in doubt. Ends unheard ones. */
  #due(): ChannelFeed[] {
    const due = new Set<ChannelFeed>();
    for (let left = Math.ceil((this.#feeds.size * EVERY_MS) / ROUND_MS); left > 0; left--) {
      const feed = this.#nextInRing();
      if (feed === undefined) break;
      if (this.#feeds.isHeld(feed)) due.add(feed);
      else this.#endIfUnheard(feed);
    }
    if (this.#isInDoubt) {
      for (const feed of this.#feeds.all()) if (this.#feeds.isHeld(feed) && this.#isDoubtful(feed)) due.add(feed);
    }
    return [...due];
  }

  #nextInRing(): ChannelFeed | undefined {
    const next = this.#ring.next();
    if (next.done !== true) return next.value;
    this.#ring = this.#feeds.all();
    return this.#ring.next().value;
  }

  #endIfUnheard(feed: ChannelFeed): void {
    const now = this.#ctx.clock.monotonic();
    const before = this.#unheard.get(feed);
    if (before?.usedAt !== feed.usedAt) this.#unheard.set(feed, { usedAt: feed.usedAt, since: now });
    else if (now - before.since >= UNHEARD_MS && feed.isIdle) this.#feeds.end(feed);
  }

  #isDoubtful = ({ channelId }: ChannelFeed): boolean => this.#ctx.broker.isDoubtful(channelTopic(channelId));
}
