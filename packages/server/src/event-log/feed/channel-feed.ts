import { Alarm } from "../../base/timers.ts";
import type { AppContext } from "../../context.ts";
import type { BrokerMessage } from "../../realtime/broker/broker.ts";
import { channelTopic } from "../../realtime/topics.ts";
import { loadEvents } from "../events.ts";
import { channelState } from "../rows.ts";
import { EARLY_MAX, EarlyFrames } from "./early-frames.ts";
import { onFeedMessage } from "./feed-listeners.ts";
import { FeedMemory, FRAMES_MAX } from "./feed-memory.ts";
import { readTail } from "./tail-reads.ts";

/**
 * How long the feed of a node in a cluster waits for a missing event before it reads the database, in milliseconds.
 * Three busy nodes that write in one channel deliver a quarter of their batches early, nearly all by less than that.
 */
const EARLY_MS = 40;

interface Waiter {
  seq: number;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * The feed of one channel on this node: up to which seq it was delivered, and what is cached of it (feed-memory.ts).
 * Promise: it delivers to the hub in order of `seq`, without gaps or duplicates, whatever the order of the broker. It
 * fills a gap from the database before it delivers anything later.
 */
export class ChannelFeed {
  readonly channelId: number;
  /** The last delivered seq; -1: not loaded yet. */
  lastSeq: number;
  readonly memory: FeedMemory;
  /** Increases with every use of any feed: the smallest value is the least recently used feed. */
  usedAt = 0;
  /** True if the channel was deleted: its deletion is the last event that was delivered. */
  isOver = false;
  /** Why the channel could not be read. A failed feed is discarded, and its successor continues where it stopped. */
  failure: unknown;
  /** The highest seq that was read from the database, perhaps before it was published. */
  #readTo = -1;
  readonly #ctx: AppContext;
  readonly #topic: string;
  readonly #early = new EarlyFrames();
  /** The highest seq that is known to be committed without its frame. */
  #known = 0;
  /** On a node of a cluster: rings when what was missing must be read from the database. */
  readonly #patience: Alarm | undefined;
  /** What was known when the patience began. */
  #awaited = 0;
  #waiters: Waiter[] = [];
  #busy: Promise<void> | undefined;
  #isClosed = false;

  /** `onBytes` receives every change in the size of the feed's memory, in bytes. */
  constructor(ctx: AppContext, channelId: number, after: number, onBytes: (change: number) => void) {
    this.#ctx = ctx;
    this.#topic = channelTopic(channelId);
    this.#patience = ctx.cluster === null ? undefined : new Alarm(ctx.clock, () => this.#endPatience());
    this.channelId = channelId;
    this.lastSeq = after;
    // A caller may still read from a closed feed; its bytes no longer count.
    this.memory = new FeedMemory((change) => this.#isClosed || onBytes(change));
    this.#occupy(this.#load());
  }

  /** Reloads the memory after a message or event up to this seq was rewritten without an event. */
  rewritten(upTo: number): void {
    if (this.#busy !== undefined) void this.#busy.then(() => this.rewritten(upTo));
    else if (this.failure === undefined && upTo >= (this.memory.oldestSeq ?? this.lastSeq))
      this.#occupy(this.#reload());
  }

  /** Reloads the newest messages after they were dropped to make room. */
  remember(): void {
    if (this.#busy === undefined && this.failure === undefined) this.#occupy(this.#reload());
  }

  /** Delivers events that were committed but never published. */
  recheck(): void {
    if (this.#busy !== undefined) void this.#busy.then(() => this.recheck());
    else if (this.failure === undefined) this.#occupy(this.#catchUp());
  }

  /** Takes note that the event with this seq is committed. If it does not arrive soon, it is read. */
  know(seq: number): void {
    if (seq <= this.#known) return;
    this.#known = seq;
    if (this.failure === undefined) this.#mindGap();
  }

  /** Resolves once everything up to `seq`, which is committed, is delivered; rejects if it could not be read. */
  reach(seq: number): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.failure !== undefined) reject(this.failure);
      else if (this.lastSeq >= seq) resolve();
      else {
        this.#waiters.push({ seq, resolve, reject });
        this.know(seq);
      }
    });
  }

  async #reload(): Promise<void> {
    const state = await channelState(this.#ctx.db, this.channelId);
    await this.#readTail(state?.slug ?? "");
  }

  /** True if the feed is loaded and does not read the database. */
  get isReady(): boolean {
    return this.#busy === undefined;
  }

  /** True if nobody waits for the feed, and it waits for nothing. */
  get isIdle(): boolean {
    return this.#busy === undefined && this.#waiters.length === 0;
  }

  /** Resolves when the feed is loaded and reads nothing; rejects if the database could not be read. */
  async ready(): Promise<void> {
    while (this.#busy !== undefined) await this.#busy;
    if (this.failure !== undefined) throw this.failure;
  }

  accept(messages: readonly BrokerMessage[]): void {
    if (this.failure !== undefined) return;
    const passing: BrokerMessage[] = [];
    for (const message of messages) {
      const isNext = this.#busy === undefined && message.seq === this.lastSeq + 1;
      if (isNext || (message.seq === undefined && this.#busy === undefined && this.#early.isEmpty)) {
        this.#take(message);
        passing.push(message);
        if (!this.#early.isEmpty) this.#release(passing);
      } else if (message.seq === undefined || message.seq > this.lastSeq) {
        this.#early.add(message);
        if (message.seq !== undefined && this.#busy === undefined) this.#ctx.metrics.feedEventEarly();
      }
    }
    if (passing.length > 0) this.#deliver(passing);
    if (!this.#early.isEmpty) this.#mindGap();
  }

  /** Adds the early frames that may follow now to `passing`. */
  #release(passing: BrokerMessage[]): void {
    for (const message of this.#early.release(this.lastSeq)) {
      this.#take(message);
      passing.push(message);
    }
  }

  /** Passes messages on to the listeners of all feeds, then to the sockets and streams of the channel. */
  #deliver(messages: readonly BrokerMessage[]): void {
    for (const listener of onFeedMessage.of(this.#ctx)) {
      for (const message of messages) {
        if (message.seq === undefined) continue;
        try {
          listener(this.channelId, message);
        } catch (err) {
          this.#ctx.log.error({ err, channelId: this.channelId }, "a listener of the feeds failed");
        }
      }
    }
    this.#ctx.hub.deliver(this.#topic, messages);
    if (this.#waiters.length > 0) this.#endWaits();
  }

  #endWaits(): void {
    const { failure, lastSeq } = this;
    const waiters = this.#waiters;
    this.#waiters = waiters.filter(({ seq }) => failure === undefined && seq > lastSeq);
    for (const { seq, resolve, reject } of waiters) {
      if (seq <= lastSeq) resolve();
      else if (failure !== undefined) reject(failure);
    }
  }

  /** Returns the frames after `seq` if memory holds them all, else null. */
  framesAfter(seq: number): string[] | null {
    if (seq === this.lastSeq) return [];
    return seq > this.lastSeq ? null : this.memory.framesAfter(seq);
  }

  /** True if another event was delivered with the seq of an event that this node has committed but not published. */
  isContradictedBy({ seq, event, message }: BrokerMessage): boolean {
    if (seq === undefined || seq > this.lastSeq) return false;
    const delivered = this.memory.frameAt(seq);
    // This node may have read the event before the commit was confirmed to it.
    if (delivered === undefined) return seq > this.#readTo;
    const [one, other] = [delivered.messageId, message?.id];
    return delivered.event !== event || (one !== undefined && other !== undefined && one !== other);
  }

  #take(message: BrokerMessage): void {
    if (message.seq === undefined) return;
    this.lastSeq = message.seq;
    this.isOver = message.event === "channel:deleted";
    this.memory.take(message.seq, message);
  }

  /** If events are missing, waits for them for a while, then reads them. A lone server reads at once. */
  #mindGap(): void {
    const isOverfull = this.#early.size > EARLY_MAX;
    if (isOverfull) {
      this.#early.drop();
      this.#patience?.clear();
    }
    const highest = Math.max(this.#known, this.#early.highest);
    if (highest <= this.lastSeq || this.#busy !== undefined || this.#patience?.isSet) return;
    this.#awaited = highest;
    const isDoubtful = this.#ctx.broker.isDoubtful(this.#topic);
    if (this.#patience === undefined || isOverfull || isDoubtful) this.#endPatience();
    else this.#patience.set(EARLY_MS);
  }

  #endPatience(): void {
    if (this.failure !== undefined || this.#busy !== undefined || this.#isClosed) return;
    if (this.lastSeq < this.#awaited) this.#occupy(this.#repair(this.#awaited));
    else this.#mindGap();
  }

  async #repair(upTo: number): Promise<void> {
    this.#ctx.metrics.feedRepaired(this.#early.isEmpty);
    while (this.lastSeq < upTo) await this.#fill();
  }

  async #load(): Promise<void> {
    await this.#ctx.hub.retain(this.#topic);
    const state = await channelState(this.#ctx.db, this.channelId);
    if (this.lastSeq === -1) this.lastSeq = state?.last_seq ?? 0;
    this.#readTo = this.lastSeq;
    await this.#readTail(state?.slug ?? "");
    await this.#catchUp();
  }

  async #catchUp(): Promise<void> {
    const { last_seq: last = 0 } = (await channelState(this.#ctx.db, this.channelId)) ?? {};
    while (this.lastSeq < last) await this.#fill();
  }

  /** Loads the newest messages up to `lastSeq`. */
  async #readTail(slug: string): Promise<void> {
    this.memory.replace(await readTail(this.#ctx.db, this.channelId, this.lastSeq + 1), slug);
  }

  /** Buffers incoming messages until the work is done, then accepts them. */
  #occupy(work: Promise<void>): void {
    this.#patience?.clear();
    this.#busy = work
      .catch((error: unknown) => {
        this.failure = error;
        this.#ctx.log.error({ err: error, channelId: this.channelId }, "reading a channel's feed failed");
      })
      .finally(() => this.#resume());
  }

  #resume(): void {
    this.#busy = undefined;
    if (this.failure === undefined && !this.#early.isEmpty) {
      const passing: BrokerMessage[] = [];
      this.#release(passing);
      if (passing.length > 0) this.#deliver(passing);
    }
    if (this.#waiters.length > 0) this.#endWaits();
    if (this.failure === undefined) this.#mindGap();
  }

  /** Loads the events that the broker lost or has not delivered yet, and delivers them in order. */
  async #fill(): Promise<void> {
    const missing = await loadEvents(this.#ctx, this.channelId, this.lastSeq, FRAMES_MAX);
    const passing: BrokerMessage[] = [];
    for (const message of missing) {
      // An event that stands for a run of numbers follows the number before it, or one within.
      if (message.seq === undefined || (message.after ?? message.seq - 1) > this.lastSeq) break;
      this.#take(message);
      passing.push(message);
    }
    if (passing.length === 0)
      throw new MissingEvent(`Channel ${this.channelId} has no event ${this.lastSeq + 1}, but has later ones.`);
    this.#readTo = this.lastSeq;
    this.#deliver(passing);
  }

  close(): void {
    this.memory.forget();
    this.#isClosed = true;
    this.#patience?.clear();
    this.#ctx.hub.release(this.#topic);
  }
}

/** A seq without an event: later events must not wait for it forever. */
export class MissingEvent extends Error {}
