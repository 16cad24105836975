import type { Clock } from "../clock.ts";
import { type AppContext, perServer } from "../context.ts";
import { Alarm } from "./timers.ts";

/** Bytes of large texts after which the collector runs, if they are at least this part of what it must look at. */
const EVERY_BYTES = 16 * 1024 * 1024;
const PART_OF_HEAP = 1 / 4;
/** Shorter texts do not count: they are what nearly all requests have, and the collector keeps up with them. */
const LARGE_FROM = 24 * 1024;
/** How long after a collection the rest is collected, if fewer texts than that follow. */
const REST_MS = 5_000;
/**
 * The share of the time that collections take at most. On a server with a large heap each takes long, and requests wait
 * meanwhile: there the collector may fall behind.
 */
const SHARE = { ofShort: 1 / 2, ofLong: 1 / 4 };
const LONG_MS = 50;

/**
 * Runs the garbage collector when many large texts have passed. A long message or page leaves its text in several forms
 * (received, parsed, stored, sent). The runtime's own collector runs beside the server and lets them pile up: one account
 * made a server grow by 150 MB for a moment with messages that nobody read, and by 270 MB with their pages. Texts
 * that pass after the last collection are collected once, too: an idle server would keep them.
 */
export class LargeGarbage {
  readonly #clock: Clock;
  readonly #collect: () => number;
  readonly #alarm: Alarm;
  /** Rings for the rest after a collection. Unset if nothing passed since. */
  readonly #restAlarm: Alarm;
  /** True after a collection, until its rest is collected. */
  #leavesRest = false;
  #bytes = 0;
  #every = EVERY_BYTES;
  /** When the next collection may run. */
  #restsUntil = 0;

  /** `collect` returns the bytes of the heap that are alive. */
  constructor(clock: Clock, collect: () => number = collectAll) {
    this.#clock = clock;
    this.#collect = collect;
    this.#alarm = new Alarm(clock, () => this.#run(true));
    this.#restAlarm = new Alarm(clock, () => this.#run(false));
  }

  /** Counts the bytes that a large text leaves in all its forms. May collect in a later turn. */
  note(bytes: number): void {
    if (bytes < LARGE_FROM) return;
    this.#bytes += bytes;
    // Not in this turn, in which the text is still in use.
    if (this.#bytes >= this.#every && !this.#alarm.isSet)
      this.#alarm.set(Math.max(0, this.#restsUntil - this.#clock.monotonic()));
    else if (this.#leavesRest) this.#restAlarm.set(REST_MS);
  }

  #run(leavesRest: boolean): void {
    this.#bytes = 0;
    this.#leavesRest = leavesRest;
    this.#restAlarm.clear();
    const began = this.#clock.monotonic();
    this.#every = Math.max(EVERY_BYTES, this.#collect() * PART_OF_HEAP);
    const ended = this.#clock.monotonic();
    const took = ended - began;
    this.#restsUntil = ended + took * (1 / (took < LONG_MS ? SHARE.ofShort : SHARE.ofLong) - 1);
  }
}

function collectAll(): number {
  Bun.gc(true);
  return process.memoryUsage().heapUsed;
}

export const largeGarbage = perServer(({ clock }: AppContext) => new LargeGarbage(clock));
