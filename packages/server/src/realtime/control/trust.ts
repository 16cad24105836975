import { type AppContext, perServer } from "../../context.ts";
import { fail } from "../../errors.ts";

/** How long a reading of the control log stays good (milliseconds since it began). */
const TRUST_MS = 2_000;
/** The longest wait of a request for the next good reading. */
const WAIT_MS = 1_000;
/** Requests that wait at once. */
const WAITING_MAX = 1_000;

/**
 * Tells whether this node may act on what it has in memory. A node that was paused, cut off from PostgreSQL or too slow
 * may have missed that somebody lost a right. So nothing in memory is trusted when the last good reading of the control
 * log began over two seconds ago.
 */
export class Trust {
  readonly #ctx: AppContext;
  /** Monotonic time at which the last good reading began. */
  #goodAt = Number.NEGATIVE_INFINITY;
  /** How often trust was lost and found again. */
  #returns = 0;
  readonly #waiting = new Set<() => void>();
  readonly #onReturn: (() => void)[] = [];

  constructor(ctx: AppContext) {
    this.#ctx = ctx;
  }

  get isGood(): boolean {
    return this.#age() <= TRUST_MS;
  }

  /** Differs between two moments if trust was lost between them. */
  get period(): number {
    return this.isGood ? this.#returns : this.#returns + 1;
  }

  #age(): number {
    return this.#ctx.clock.monotonic() - this.#goodAt;
  }

  /** Notes a good reading: its rows are handled. */
  read(beganAt: number): void {
    if (!this.isGood) this.#returns += 1;
    this.#goodAt = Math.max(this.#goodAt, beganAt);
    this.#ctx.metrics.control.readAt = this.#goodAt;
    if (!this.isGood) return;
    for (const go of [...this.#waiting]) go();
    for (const handler of this.#onReturn) handler();
  }

  /** Calls `handler` after every good reading. */
  onRead(handler: () => void): void {
    this.#onReturn.push(handler);
  }

  /**
   * Resolves at the next good reading.
   * Errors: `storage_unavailable` after a second, or at once if too many wait.
   */
  async good(): Promise<void> {
    if (this.isGood) return;
    if (this.#waiting.size >= WAITING_MAX) throw this.#refusal();
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, WAIT_MS);
    this.#waiting.add(resolve);
    await promise;
    clearTimeout(timer);
    this.#waiting.delete(resolve);
    if (!this.isGood) throw this.#refusal();
  }

  /** Throws `storage_unavailable` unless trust was kept since that period. */
  assertSince(period: number): void {
    if (!this.isGood || this.period !== period) throw this.#refusal();
  }

  #refusal(): Error {
    this.#ctx.metrics.control.refusals += 1;
    return fail("storage_unavailable", {
      message: "This node has not heard of the latest changes. Try again shortly.",
      retryAfter: 1,
    });
  }
}

const trust = perServer((ctx) => (ctx.cluster === null ? "always" : new Trust(ctx)));

/** Returns the trust of this node in its memory; null on a lone server, which has nobody to hear from. */
export function trustOf(ctx: AppContext): Trust | null {
  const found = trust(ctx);
  return found === "always" ? null : found;
}
