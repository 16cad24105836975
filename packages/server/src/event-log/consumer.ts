import { BackOff } from "../base/backoff.ts";
import { Alarm } from "../base/timers.ts";
import { duty } from "../cluster/duties.ts";
import type { AppContext } from "../context.ts";
import { isSqlite } from "../db/dialect.ts";
import { transact } from "../db/transact.ts";
import { intervalOf } from "../timing.ts";
import { moveCursors, moveToEnds, nextMessageSeq, type Progress, progressAfter, progressIn } from "./consumer.store.ts";
import { CpuThrottle, SliceSize, type Spent } from "./consumer-pace.ts";
import { onCommit } from "./events.ts";
import { halves, type Span, seqsIn } from "./span.ts";

export interface ConsumerOptions {
  /** The name of the cursors. */
  purpose: string;
  /** Delay from a commit to its handling while idle, in milliseconds. */
  everyMs: number;
  /** Maximum seqs of one channel per span, if there are messages among them. */
  batch: number;
  /**
   * Handles spans of different channels inside the transaction that advances their cursors. A span longer than `batch`
   * contains no messages. Use the given context, and do nothing that a rollback would not undo.
   */
  handle(ctx: AppContext, spans: readonly Span[]): Promise<void>;
  /** Returns false if the spans hold too much for one transaction: then their first half is tried. Absent: never. */
  fits?(ctx: AppContext, spans: readonly Span[]): Promise<boolean>;
}

export interface Consumer {
  /**
   * Resolves when everything committed before this call is handled, here or on another node; takes no rests. Rejects
   * with the error of a failed span. Never call inside `transact`. Concurrent waiting calls share one run.
   */
  flush(): Promise<void>;
  /** Seqs known to be pending, as of the last check. */
  readonly behind: number;
}

/** How often all channels are polled, for commits of a node that died or of another process. */
const LOOK_MS = 60_000;
const LOOK_PAGE = 1_000;
const RETRY_MS = 1_000;
const RETRY_MAX_MS = 5 * 60_000;

/**
 * Follows the commits of all channels in the background, off the send path: each span of each channel is passed to
 * `handle` exactly once, in order, in the transaction that advances this purpose's cursor. If two nodes try the same
 * span, one wins and the other continues.
 * Channels with news are learnt from this node's commits; without news only a poll of all channels runs, once a minute
 * and on one node.
 * A failed span is logged and retried with backoff, and delays only its own channel.
 */
export function consumeMessages(ctx: AppContext, options: ConsumerOptions): Consumer {
  const consumer = new MessageConsumer(ctx.root, { ...options, everyMs: intervalOf(ctx, options.everyMs) });
  consumer.start();
  return consumer;
}

/** Lets a consumer that does not run yet begin with what comes next in all channels. Runs in the caller's transaction. */
export const beginAtEnds = ({ db }: AppContext, purpose: string): Promise<void> => moveToEnds(db, purpose);

class MessageConsumer implements Consumer {
  readonly #ctx: AppContext;
  readonly #options: ConsumerOptions;
  readonly #throttle: CpuThrottle;
  /** Channels to check. */
  readonly #news = new Set<number>();
  /** Channels whose span failed. */
  readonly #failed: BackOff;
  readonly #alarm: Alarm;
  /** Pending seqs by channel. */
  readonly #waiting = new Map<number, number>();
  /** Spans that are read but not handled. */
  #spans: Span[] = [];
  readonly #slice: SliceSize;
  /** True if a channel has more than was read of it. */
  #isBehind = false;
  /** Serializes all work. */
  #lane: Promise<unknown> = Promise.resolve();
  #flush: Promise<void> | undefined;
  #stopped = false;

  constructor(ctx: AppContext, options: ConsumerOptions) {
    this.#ctx = ctx;
    this.#options = options;
    const holdsThread = isSqlite(ctx.db);
    this.#throttle = new CpuThrottle(ctx.clock, holdsThread);
    this.#slice = new SliceSize(holdsThread, options.batch);
    this.#failed = new BackOff(ctx.clock, RETRY_MS, RETRY_MAX_MS);
    this.#alarm = new Alarm(ctx.clock, () => this.#inBackground(() => this.#work()));
  }

  start(): void {
    const unhear = onCommit(this.#ctx, (channelId) => {
      this.#news.add(channelId);
      if (!this.#alarm.isSet) this.#alarm.set(this.#options.everyMs);
    });
    const isOwn = duty(this.#ctx, `look for work: ${this.#options.purpose}`);
    const looking = setInterval(() => {
      if (isOwn()) this.#inBackground(() => this.#look());
    }, LOOK_MS);
    looking.unref();
    this.#inBackground(() => this.#look());
    this.#ctx.onClose(async () => {
      this.#stopped = true;
      unhear();
      clearInterval(looking);
      await this.#lane;
      this.#alarm.clear();
    });
  }

  flush(): Promise<void> {
    this.#flush ??= this.#inLane(() => {
      this.#flush = undefined;
      return this.#handleAll();
    });
    return this.#flush;
  }

  get behind(): number {
    return this.#waiting.values().reduce((sum, count) => sum + count, 0);
  }

  #inLane<T>(act: () => Promise<T>): Promise<T> {
    const done = this.#lane.then(act);
    this.#lane = done.catch(() => {});
    return done;
  }

  #inBackground(act: () => Promise<void>): void {
    this.#inLane(async () => {
      if (!this.#stopped) await act();
    }).catch((error: unknown) => {
      this.#ctx.log.error({ err: error, purpose: this.#options.purpose }, "processing new messages failed; retrying");
      this.#alarm.set(RETRY_MS);
    });
  }

  /** Finds the channels with pending seqs. */
  async #look(): Promise<void> {
    for (let from = 0; !this.#stopped; await turn()) {
      const page = await progressAfter(this.#ctx.db, this.#options.purpose, from, LOOK_PAGE);
      for (const { channelId, seq, lastSeq } of page) if (lastSeq > seq) this.#news.add(channelId);
      if (page.length < LOOK_PAGE) break;
      from = page.at(-1)?.channelId ?? from;
    }
    if (this.#news.size > 0) this.#alarm.set(0);
  }

  /** Handles one slice of the pending work, then rests. */
  async #work(): Promise<void> {
    if (this.#spans.length === 0) await this.#readSpans();
    const spent = await this.#handle(this.#takeSlice());
    const rest = this.#throttle.restAfter(spent);
    // News that arrived meanwhile waits for the rest too.
    this.#alarm.clear();
    if (this.#spans.length > 0 || this.#isBehind) this.#alarm.set(rest);
    else if (this.#news.size > 0) this.#alarm.set(Math.max(rest, this.#options.everyMs));
    const retry = this.#failed.nextIn;
    if (retry !== undefined) this.#alarm.set(Math.max(rest, retry));
  }

  async #readSpans(): Promise<void> {
    const wanted = this.#failed.due();
    for (const channelId of this.#news) if (!this.#failed.has(channelId)) wanted.push(channelId);
    this.#news.clear();
    this.#isBehind = false;
    for (const progress of await progressIn(this.#ctx.db, this.#options.purpose, wanted)) {
      const { channelId, seq, lastSeq } = progress;
      if (lastSeq <= seq) {
        this.#failed.succeeded(channelId);
        this.#waiting.delete(channelId);
        continue;
      }
      this.#waiting.set(channelId, lastSeq - seq);
      const span = await this.#spanFrom(progress, Math.min(this.#options.batch, this.#slice.seqs));
      this.#spans.push(span);
      if (span.upTo === lastSeq) continue;
      this.#news.add(channelId);
      this.#isBehind = true;
    }
  }

  /**
   * Returns a span of `numbers` seqs, or longer if the next message is further away: a burst of claims or reactions is
   * skipped in one step.
   */
  async #spanFrom({ channelId, seq, lastSeq }: Progress, numbers: number): Promise<Span> {
    let upTo = seq + numbers;
    if (upTo < lastSeq) upTo = Math.max(upTo, ((await nextMessageSeq(this.#ctx.db, channelId, seq)) ?? Infinity) - 1);
    return { channelId, after: seq, upTo: Math.min(lastSeq, upTo) };
  }

  #takeSlice(): Span[] {
    let numbers = 0;
    const past = this.#spans.findIndex((span) => {
      numbers += seqsIn([span]);
      return numbers > this.#slice.seqs;
    });
    return past === -1 ? this.#spans.splice(0) : this.#spans.splice(0, Math.max(past, 1));
  }

  /**
   * Handles spans of different channels in one transaction; if it fails, each in its own. Returns the elapsed
   * milliseconds.
   */
  async #handle(spans: readonly Span[]): Promise<number> {
    if (spans.length === 0) return 0;
    const started = this.#ctx.clock.monotonic();
    let now = spans;
    try {
      const [fitting, later] = await this.#fitting(spans);
      this.#spans.unshift(...later);
      now = fitting;
      const spent = await this.#commit(now);
      this.#slice.adapt(seqsIn(now), spent);
      return spent.wall;
    } catch (error) {
      if (now.length > 1 && this.#ctx.storageError(error) === undefined) {
        for (const span of now) await this.#handle([span]);
      } else this.#refuse(now, error);
      return this.#ctx.clock.monotonic() - started;
    }
  }

  /** Splits spans: the first ones fit into one transaction. */
  async #fitting(spans: readonly Span[]): Promise<[now: readonly Span[], later: Span[]]> {
    const { fits } = this.#options;
    let now = spans;
    const later: Span[] = [];
    while (fits !== undefined && seqsIn(now) > 1 && !(await fits(this.#ctx, now))) {
      const [first, second] = halves(now);
      now = first;
      later.unshift(...second);
    }
    return [now, later];
  }

  /** Runs one transaction. Returns the time spent inside it; the waits for its turn and for the disk cost nothing. */
  async #commit(spans: readonly Span[]): Promise<Spent> {
    const { purpose, handle } = this.#options;
    const { own, spent } = await transact(this.#ctx, async (ctx) => {
      const stop = this.#throttle.start();
      const moved = await moveCursors(ctx.db, purpose, spans);
      if (moved.length > 0) await handle(ctx, moved);
      return { own: new Set(moved), spent: stop() };
    });
    for (const span of spans) if (!own.has(span)) this.#news.add(span.channelId);
    for (const span of spans) this.#handled(span);
    return spent;
  }

  #handled({ channelId, after, upTo }: Span): void {
    this.#failed.succeeded(channelId);
    const rest = (this.#waiting.get(channelId) ?? 0) - (upTo - after);
    if (rest > 0) this.#waiting.set(channelId, rest);
    else this.#waiting.delete(channelId);
  }

  #refuse(spans: readonly Span[], error: unknown): void {
    for (const { channelId } of spans) this.#failed.failed(channelId);
    this.#ctx.log.error({ err: error, purpose: this.#options.purpose, spans }, "handling a span of messages failed");
  }

  /** Handles everything committed now, without rests. */
  async #handleAll(): Promise<void> {
    const failures: unknown[] = [];
    for (let from = 0; ; await turn()) {
      const page = await progressAfter(this.#ctx.db, this.#options.purpose, from, LOOK_PAGE);
      for (const channel of page) await this.#catchUp(channel).catch((error: unknown) => failures.push(error));
      if (page.length < LOOK_PAGE) break;
      from = page.at(-1)?.channelId ?? from;
    }
    if (failures.length > 0) throw failures[0];
  }

  /** Catches up with one channel. Rereads the cursor after each span, because another node may have moved it. */
  async #catchUp({ channelId, seq, lastSeq }: Progress): Promise<void> {
    for (let at = seq; at < lastSeq; await turn()) {
      const span = await this.#spanFrom({ channelId, seq: at, lastSeq }, this.#options.batch);
      await this.#commit((await this.#fitting([span]))[0]);
      at = (await progressIn(this.#ctx.db, this.#options.purpose, [channelId]))[0]?.seq ?? lastSeq;
    }
  }
}

/** Yields to the event loop. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
