import type { Clock } from "../clock.ts";

/** The share of its time that a kind of background work takes on a quiet server. */
const QUIET_SHARE = 0.25;
/** The same on a busy one: if the work holds the thread, and if it waits for a database for most of its time. */
const BUSY_SHARE = { holding: 0.01, waiting: 0.02 };
/** A server whose other work uses more than this share of its available core is busy. */
const BUSY_FROM = 0.25;
const WINDOW_MS = 200;
/**
 * The longest rest. Without it, one slow piece (its code runs for the first time, or the database is overloaded) would
 * stop the work for a multiple of its time: 400 ms for 40 s.
 */
const REST_MAX_MS = 5_000;

/** Returns the CPU time of this process so far, in milliseconds. */
const processCpu = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/**
 * The cost of a piece of work, in milliseconds of wall time and of CPU time; the latter is less if it waited for a
 * database.
 */
export interface Spent {
  wall: number;
  cpu: number;
}

/** Throttles background work: computes how long to rest after each piece, so that requests get the thread. */
export class CpuThrottle {
  readonly #clock: Clock;
  readonly #holdsThread: boolean;
  readonly #cpu: () => number;
  #from: { at: number; cpu: number };
  /** The background work since `#from`. */
  #own: Spent = { wall: 0, cpu: 0 };
  #isBusy = true;

  /** `holdsThread`: the work runs on this thread from its start to its end, as on SQLite, and does not wait. */
  constructor(clock: Clock, holdsThread: boolean, cpu: () => number = processCpu) {
    this.#clock = clock;
    this.#holdsThread = holdsThread;
    this.#cpu = cpu;
    this.#from = { at: clock.monotonic(), cpu: cpu() };
  }

  /** Starts measuring a piece of work; the returned function ends it. */
  start(): () => Spent {
    const at = this.#clock.monotonic();
    const cpuAt = this.#cpu();
    return () => {
      const wall = this.#clock.monotonic() - at;
      const cpu = Math.min(wall, this.#cpu() - cpuAt);
      this.#own.wall += wall;
      this.#own.cpu += cpu;
      return { wall, cpu };
    };
  }

  /** Returns the milliseconds to rest after a piece that took `spent` ms, at most 5,000. */
  restAfter(spent: number): number {
    this.#judge();
    const busy = this.#holdsThread ? BUSY_SHARE.holding : BUSY_SHARE.waiting;
    return Math.min(REST_MAX_MS, spent / (this.#isBusy ? busy : QUIET_SHARE) - spent);
  }

  #judge(): void {
    const at = this.#clock.monotonic();
    const passed = at - this.#from.at;
    if (passed < WINDOW_MS) return;
    const cpu = this.#cpu();
    const others = (cpu - this.#from.cpu - this.#own.cpu) / Math.max(1, passed - this.#own.wall);
    this.#isBusy = others / this.#available() > BUSY_FROM;
    this.#from = { at, cpu };
    this.#own = { wall: 0, cpu: 0 };
  }

  /**
   * The share of a core that the server gets beside other processes: about what the work got while it held the thread.
   * Work that waits for a database says nothing about it.
   */
  #available(): number {
    const { wall, cpu } = this.#own;
    return this.#holdsThread && wall > 0 ? Math.max(0.1, cpu / wall) : 1;
  }
}

/** The seqs of the first transaction. */
const START = 256;
/** The target for one transaction, in milliseconds, and the least seqs that it handles. */
const HOLDING_THREAD = { ms: 3, min: 16 };
const WAITING = { ms: 8, min: 64 };

/**
 * How many seqs a consumer handles in one transaction: the number adapts to how long one takes. On SQLite a transaction
 * holds the thread and the write lock, so requests wait for it, and it should be short. On PostgreSQL it mostly waits,
 * and fewer seqs would only be slower.
 */
export class SliceSize {
  readonly #holdsThread: boolean;
  readonly #batch: number;
  #seqs: number;

  /** `batch`: the most seqs of one channel that a transaction handles. */
  constructor(holdsThread: boolean, batch: number) {
    this.#holdsThread = holdsThread;
    this.#batch = batch;
    this.#seqs = Math.min(batch, START);
  }

  get seqs(): number {
    return this.#seqs;
  }

  /** Learns from a transaction that handled `seqs`. */
  adapt(seqs: number, { wall, cpu }: Spent): void {
    const { ms, min } = this.#holdsThread ? HOLDING_THREAD : WAITING;
    const took = this.#holdsThread ? wall : cpu;
    if (took > ms) this.#seqs = Math.max(min, Math.floor(this.#seqs / 2));
    else if (took < ms / 2 && 2 * seqs > this.#seqs) this.#seqs = Math.min(Math.max(this.#batch, min), this.#seqs * 2);
  }
}
