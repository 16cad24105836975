import type { Clock } from "../clock.ts";

/** Of the thread, how much background work takes beside a busy server, and beside a quiet one. */
const SHARE = { busy: 0.02, quiet: 0.25 };
/** A server that takes more than this of the core it can have for other things is busy. */
const BUSY_FROM = 0.4;
const WINDOW_MS = 200;

/** CPU time of this process so far, milliseconds. */
const processCpu = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** What a piece of work took, milliseconds: of time, and of this process's CPU, which is less where it waited for a database. */
export interface Spent {
  wall: number;
  cpu: number;
}

/** Tells background work how long to rest after each piece, so that what people wait for has the thread. */
export class Pace {
  readonly #clock: Clock;
  readonly #cpu: () => number;
  #from: { at: number; cpu: number };
  /** Of the background work since then. */
  #own: Spent = { wall: 0, cpu: 0 };
  #isBusy = true;

  constructor(clock: Clock, cpu: () => number = processCpu) {
    this.#clock = clock;
    this.#cpu = cpu;
    this.#from = { at: clock.monotonic(), cpu: cpu() };
  }

  /** Begins to measure a piece of work; the answer ends it. */
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

  /** Milliseconds to leave to others after a piece that took `spent`. */
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
    // On a machine with other processes the server gets less than a core: about what our own work got while it ran.
    const available = this.#own.wall > 0 ? Math.max(0.1, this.#own.cpu / this.#own.wall) : 1;
    this.#isBusy = others / available > BUSY_FROM;
    this.#from = { at, cpu };
    this.#own = { wall: 0, cpu: 0 };
  }
}
