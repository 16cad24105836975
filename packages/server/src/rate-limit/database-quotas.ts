import { LRUCache } from "lru-cache";
import type { Clock } from "../clock.ts";
import type { Db } from "../db/db.ts";
import { deleteBeyond, deleteFull, giveActBack, limitAhead, readQuota, takeAct } from "./database-quotas.store.ts";
import { permit, type Quota, refuse, sharedKey } from "./quota.ts";
import type { RateDecision } from "./rate-limiter.ts";

/** How long a refusal is repeated without asking: by then, another node may have given an act back. */
const REFUSED_MS = 1_000;
const REFUSALS_MAX = 10_000;
/** Rows deleted by one statement. */
const STEP = 10_000;
/** Subjects kept. Beyond, those whose quota is nearest to full start again with a full one. */
const ROWS_MAX = 1_000_000;

interface Refusal {
  ahead: number;
  /** Monotonic milliseconds. */
  at: number;
}

/**
 * Quotas that all nodes count together in the database, by its clock, so that they hold without Redis. An act costs one
 * statement. A subject that was refused costs none for a second.
 */
export class DatabaseQuotas {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #refusals = new LRUCache<string, Refusal>({ max: REFUSALS_MAX });

  constructor(db: Db, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  /** Takes one act. Rejects with the database's error. */
  take(quota: Quota, subject: string): RateDecision | Promise<RateDecision> {
    const key = sharedKey(quota, subject);
    const refusal = this.#refusals.get(key);
    if (refusal !== undefined) {
      const passed = this.#clock.monotonic() - refusal.at;
      const ahead = refusal.ahead - passed;
      if (passed < REFUSED_MS && ahead + quota.cost > quota.window) return refuse(quota, ahead);
    }
    return this.#ask(quota, key);
  }

  async #ask(quota: Quota, key: string): Promise<RateDecision> {
    const taken = await takeAct(this.#db, key, costOf(quota), quota.window);
    if (taken !== undefined) return permit(quota, taken.full_at - taken.now);
    const found = await readQuota(this.#db, key);
    const stored = found === undefined ? quota.window : found.full_at - found.now;
    if (stored > quota.window) await limitAhead(this.#db, key, quota.window);
    const ahead = Math.min(stored, quota.window);
    this.#refusals.set(key, { ahead, at: this.#clock.monotonic() });
    return refuse(quota, ahead);
  }

  async giveBack(quota: Quota, subject: string): Promise<void> {
    const key = sharedKey(quota, subject);
    await giveActBack(this.#db, key, costOf(quota));
    this.#refusals.delete(key);
  }

  /** Deletes the quotas that are full again, and those beyond the maximum. */
  async sweep(): Promise<void> {
    while ((await deleteFull(this.#db, STEP)) === STEP);
    while ((await deleteBeyond(this.#db, ROWS_MAX, STEP)) === STEP);
  }
}

/** The table holds whole milliseconds. Rounded down, so that a whole quota fits into its window. */
const costOf = ({ cost }: Quota): number => Math.max(1, Math.floor(cost));
