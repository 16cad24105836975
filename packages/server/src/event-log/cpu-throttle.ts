import type { Clock } from "../clock.ts";

/** The share of the thread that background work takes on a busy server, and on a quiet one. */
const SHARE = { busy: 0.02, quiet: 0.25 };
/** A server whose other work uses more than this share of its available core is busy. */
const BUSY_FROM = 0.4;
const WINDOW_MS = 200;

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
  readonly #cpu: () => number;
  #from: { at: number; cpu: number };
  /** The background work since `#from`. */
  #own: Spent = { wall: 0, cpu: 0 };
  #isBusy = true;

  constructor(clock: Clock, cpu: () => number = processCpu) {
    this.#clock = clock;
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

  /** Returns the milliseconds to rest after a piece that took `spent` ms. */
  restAfter(spent: number): number {
    this.#judge();
    return spent / (this.#isBusy ? SHARE.busy : SHARE.quiet) - spent;
  }

  #judge(): void {
    const at = this.#clock.monotonic();
    const passed = at - this.#from.at;
    if (passed < WINDOW_MS) return;
    const cpu = this.#cpu();
    const others = (cpu - this.#from.cpu - this.#own.cpu) / Math.max(1, passed - this.#own.wall);
    // Beside other processes the server gets less than a core: about the share our own work got while it ran.
    const available = this.#own.wall > 0 ? Math.max(0.1, this.#own.cpu / this.#own.wall) : 1;
    this.#isBusy = others / available > BUSY_FROM;
    this.#from = { at, cpu };
    this.#own = { wall: 0, cpu: 0 };
  }
}
