import type { AppContext } from "../context.ts";
import type { BrokerMessage } from "../realtime/broker.ts";
import { channelTopic } from "../realtime/topics.ts";
import { loadEvents } from "./events.ts";
import { FeedMemory, FRAMES_MAX, TAIL_MAX } from "./feed-memory.ts";
import { channelState, messagesBefore } from "./rows.ts";

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
  /** Why the channel could not be read. A failed feed is discarded, and its successor continues where it stopped. */
  failure: unknown;
  readonly #ctx: AppContext;
  #early: BrokerMessage[] = [];
  #busy: Promise<void> | undefined;
  #isClosed = false;

  /** `onBytes` receives every change in the size of the feed's memory, in bytes. */
  constructor(ctx: AppContext, channelId: number, after: number, onBytes: (change: number) => void) {
    this.#ctx = ctx;
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

  async #reload(): Promise<void> {
    const state = await channelState(this.#ctx.db, this.channelId);
    await this.#readTail(state?.slug ?? "");
  }

  /** True if the feed is loaded and has no open gap. */
  get isReady(): boolean {
    return this.#busy === undefined;
  }

  /** Resolves when the feed is loaded and no known gap is open; rejects if the database could not be read. */
  async ready(): Promise<void> {
    while (this.#busy !== undefined) await this.#busy;
    if (this.failure !== undefined) throw this.failure;
  }

  accept(messages: readonly BrokerMessage[]): void {
    if (this.failure !== undefined) return;
    if (this.#busy !== undefined) {
      this.#early.push(...messages);
      return;
    }
    const passing: BrokerMessage[] = [];
    for (const [index, message] of messages.entries()) {
      if (message.seq === undefined) passing.push(message);
      else if (message.seq === this.lastSeq + 1) {
        this.#take(message);
        passing.push(message);
      } else if (message.seq > this.lastSeq) {
        this.#early.push(...messages.slice(index));
        this.#occupy(this.#fill());
        break;
      }
    }
    if (passing.length > 0) this.#ctx.hub.deliver(channelTopic(this.channelId), passing);
  }

  /** Returns the frames after `seq` if memory holds them all, else null. */
  framesAfter(seq: number): string[] | null {
    if (seq === this.lastSeq) return [];
    return seq > this.lastSeq ? null : this.memory.framesAfter(seq);
  }

  #take(message: BrokerMessage): void {
    if (message.seq === undefined) return;
    this.lastSeq = message.seq;
    this.memory.take(message.seq, message);
  }

  async #load(): Promise<void> {
    const topic = channelTopic(this.channelId);
    await this.#ctx.hub.retain(topic);
    const state = await channelState(this.#ctx.db, this.channelId);
    if (this.lastSeq === -1) this.lastSeq = state?.last_seq ?? 0;
    await this.#readTail(state?.slug ?? "");
    await this.#catchUp();
  }

  async #catchUp(): Promise<void> {
    const { last_seq: last = 0 } = (await channelState(this.#ctx.db, this.channelId)) ?? {};
    while (this.lastSeq < last) await this.#fill();
  }

  /** Loads the newest messages up to `lastSeq`. */
  async #readTail(slug: string): Promise<void> {
    this.memory.replace(await messagesBefore(this.#ctx.db, this.channelId, this.lastSeq + 1, TAIL_MAX + 1), slug);
  }

  /** Buffers incoming messages until the work is done, then accepts them. */
  #occupy(work: Promise<void>): void {
    this.#busy = work
      .catch((error: unknown) => {
        this.failure = error;
        this.#ctx.log.error({ err: error, channelId: this.channelId }, "reading a channel's feed failed");
      })
      .finally(() => {
        this.#busy = undefined;
        const early = this.#early;
        this.#early = [];
        if (early.length > 0) this.accept(early);
      });
  }

  /** Loads the events that the broker lost or has not delivered yet, and delivers them in order. */
  async #fill(): Promise<void> {
    const missing = await loadEvents(this.#ctx, this.channelId, this.lastSeq, FRAMES_MAX);
    const passing: BrokerMessage[] = [];
    for (const message of missing) {
      if (message.seq !== this.lastSeq + 1) break;
      this.#take(message);
      passing.push(message);
    }
    if (passing.length === 0)
      throw new MissingEvent(`Channel ${this.channelId} has no event ${this.lastSeq + 1}, but has later ones.`);
    this.#ctx.hub.deliver(channelTopic(this.channelId), passing);
  }

  close(): void {
    this.memory.forget();
    this.#isClosed = true;
    this.#ctx.hub.release(channelTopic(this.channelId));
  }
}

/** A seq without an event: later events must not wait for it forever. */
export class MissingEvent extends Error {}
