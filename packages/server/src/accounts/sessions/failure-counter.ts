import { LRUCache } from "lru-cache";
import type { Clock } from "../../clock.ts";

/** How long a failure counts. */
export const WINDOW_MS = 15 * 60_000;
const FIRST_WAIT_MS = 5_000;
/** The longest wait (protocol §1). It limits how much deliberate failures can hinder others who share the counter. */
const LONGEST_WAIT_MS = 60_000;
/** Subjects remembered at once. The one with the oldest last failure is evicted first. */
const SUBJECTS_MAX = 20_000;

interface Failures {
  times: number[];
  /** Monotonic time until which the subject must wait. */
  until: number;
}

/** Returns the milliseconds that a subject must wait after its last failure; `free` failures cost no wait. */
export function waitAfter(failures: number, free: number): number {
  const over = failures - free;
  return over < 0 ? 0 : Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** over);
}

/**
 * Counts failures by subject. After `free` failures in 15 minutes, each further one doubles the wait, from 5 s to 60 s.
 * Memory is bounded by the number of subjects, and by `free` plus the few failures that the waits permit.
 */
export class FailureCounter {
  readonly #clock: Clock;
  readonly #free: number;
  /** In the order of the last failure: only `add` counts as a use. */
  readonly #subjects = new LRUCache<string, Failures>({ max: SUBJECTS_MAX });

  constructor(clock: Clock, free: number) {
    this.#clock = clock;
    this.#free = free;
  }

  /** Returns the milliseconds that the subject must wait; 0 when it may try. */
  waitOf(subject: string): number {
    const found = this.#subjects.peek(subject);
    return found === undefined ? 0 : Math.max(0, found.until - this.#clock.monotonic());
  }

  add(subject: string): void {
    const now = this.#clock.monotonic();
    const times = (this.#subjects.get(subject)?.times ?? []).filter((time) => time > now - WINDOW_MS);
    times.push(now);
    this.#subjects.set(subject, { times, until: now + waitAfter(times.length, this.#free) });
  }

  clear(subject: string): void {
    this.#subjects.delete(subject);
  }
}
