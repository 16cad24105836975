import type { Clock } from "../../clock.ts";
import { type AppContext, perServer } from "../../context.ts";
import { fail } from "../../errors.ts";

/** Pictures that wait on this node. */
const WAITING_MAX = 32;
const WAIT_MS = 60_000;
/** Milliseconds of decoding that an account may save up, and how many it earns in a second. */
const BUDGET_MS = 60_000;
const EARNED_MS = 200;
/** Accounts whose debts are known; those of the others are forgotten, the oldest first. */
const ACCOUNTS_MAX = 10_000;

interface Turn {
  account: string;
  begin(): void;
}

/**
 * Lets pictures be decoded one at a time, because each may take a core and much memory. The next one is the picture of
 * the account that has used the decoder least, so an account with many large pictures delays others by one picture. An
 * account that has used up its budget is refused.
 */
export class DecoderQueue {
  readonly #clock: Clock;
  readonly #waiting: Turn[] = [];
  /** The milliseconds that an account has used beyond what it has earned since, at that time. */
  readonly #debts = new Map<string, { ms: number; at: number }>();
  #isBusy = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @throws rate_limited, overloaded, and what the act throws */
  async run<T>(account: string, act: () => Promise<T>): Promise<T> {
    const excess = this.#debt(account) - BUDGET_MS;
    if (excess >= 0) throw tooManyPixels(excess);
    if (this.#isBusy) await this.#turn(account);
    this.#isBusy = true;
    const started = this.#clock.monotonic();
    try {
      return await act();
    } finally {
      this.#charge(account, this.#clock.monotonic() - started);
      this.#next();
    }
  }

  #turn(account: string): Promise<void> {
    if (this.#waiting.length >= WAITING_MAX) throw fail("overloaded", { retryAfter: 10 });
    return new Promise((resolve, reject) => {
      const turn: Turn = {
        account,
        begin: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(turn), 1);
        reject(fail("overloaded", { retryAfter: 30 }));
      }, WAIT_MS);
      this.#waiting.push(turn);
    });
  }

  /** Passes the decoder on, without a moment in which a newcomer could take it. */
  #next(): void {
    let next: Turn | undefined;
    for (const turn of this.#waiting)
      if (next === undefined || this.#debt(turn.account) < this.#debt(next.account)) next = turn;
    if (next === undefined) {
      this.#isBusy = false;
      return;
    }
    this.#waiting.splice(this.#waiting.indexOf(next), 1);
    next.begin();
  }

  #debt(account: string): number {
    const debt = this.#debts.get(account);
    if (debt === undefined) return 0;
    return Math.max(0, debt.ms - ((this.#clock.monotonic() - debt.at) / 1_000) * EARNED_MS);
  }

  #charge(account: string, ms: number): void {
    const debt = this.#debt(account) + ms;
    this.#debts.delete(account);
    this.#debts.set(account, { ms: debt, at: this.#clock.monotonic() });
    const [oldest] = this.#debts.size > ACCOUNTS_MAX ? this.#debts.keys() : [];
    if (oldest !== undefined) this.#debts.delete(oldest);
  }
}

const tooManyPixels = (excessMs: number) =>
  fail("rate_limited", {
    message: "Your pictures have taken too much work. Wait, then send the next one, or smaller ones.",
    retryAfter: Math.max(1, Math.ceil(excessMs / EARNED_MS)),
  });

/** The queue of this node. */
export const decoderQueue: (ctx: AppContext) => DecoderQueue = perServer(({ clock }) => new DecoderQueue(clock));
