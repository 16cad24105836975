import type { RatePolicy } from "@parley/protocol/limits";
import { startBackgroundJob } from "../base/background-job.ts";
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { Clock } from "../clock.ts";
import { runOnOne } from "../cluster/duties.ts";
import type { AppContext } from "../context.ts";
import type { Db } from "../db/db.ts";
import type { Log } from "../logging/log.ts";
import { isRefusal } from "../redis/redis-answer.ts";
import type { RedisShards } from "../redis/shards.ts";
import { DatabaseQuotas } from "./database-quotas.ts";
import { type Quota, quotaOf } from "./quota.ts";
import { MemoryRateLimiter } from "./rate-limiter.memory.ts";
import type { RateDecision, RateLimiter } from "./rate-limiter.ts";
import { SharedQuotas } from "./shared-quotas.ts";

const RETURN_MS = 1_000;
const SWEEP_MS = 60_000;

interface Parts {
  config: { rateLimits: "on" | "off"; rateFactor: number };
  clock: Clock;
  db: Db;
  /** null: policies in Redis are counted by each node alone. */
  redis: RedisShards | null;
  log: Pick<Log, "warn">;
  /** Gets the policy of every refusal. */
  onRefused(policy: string): void;
}

/**
 * Limits of a node of a cluster. The node counts its own acts in memory, too: a subject that exhausts its quota on one
 * node is refused without asking a store, and when Redis is silent the count continues from there.
 */
export class ClusterRateLimiter implements RateLimiter {
  readonly shared: SharedQuotas | null;
  readonly database: DatabaseQuotas;
  readonly #parts: Parts;
  readonly #here: MemoryRateLimiter;
  readonly #quotas = new Map<string, Quota>();

  constructor(parts: Parts) {
    const { config, clock, db, redis, log, onRefused } = parts;
    this.#parts = parts;
    this.#here = new MemoryRateLimiter(config, clock, onRefused);
    this.database = new DatabaseQuotas(db, clock);
    const onSilent = ({ name }: { name: string }, err: unknown) => {
      // What it refuses is reported where it is asked.
      if (!isRefusal(err)) log.warn({ err, redis: name }, "Redis is silent; this node counts its rate limits alone");
    };
    this.shared = redis === null ? null : new SharedQuotas({ redis, clock, onSilent });
  }

  take(policy: RatePolicy, subject: string): MaybePromise<RateDecision> {
    const own = this.#here.take(policy, subject);
    if (!own.allowed || !this.#isCountedTogether(policy)) return own;
    const quota = this.#quotaOf(policy);
    const judge = (decision: RateDecision | null): RateDecision => {
      if (decision === null) return own;
      if (!decision.allowed) {
        this.#here.giveBack(policy, subject);
        this.#parts.onRefused(policy.name);
      }
      return decision;
    };
    const decision =
      policy.store === "database" ? this.database.take(quota, subject) : (this.shared?.take(quota, subject) ?? null);
    if (!(decision instanceof Promise)) return judge(decision);
    return decision.then(judge, (error: unknown) => {
      this.#here.giveBack(policy, subject);
      throw error;
    });
  }

  takeHere(policy: RatePolicy, state: number): number | null {
    return this.#here.takeHere(policy, state);
  }

  giveBack(policy: RatePolicy, subject: string): void {
    this.#here.giveBack(policy, subject);
    if (!this.#isCountedTogether(policy)) return;
    const quota = this.#quotaOf(policy);
    if (policy.store === "shared") this.shared?.giveBack(quota, subject);
    else {
      this.database.giveBack(quota, subject).catch((err: unknown) => {
        this.#parts.log.warn({ err, policy: policy.name }, "giving back an act of a rate limit failed");
      });
    }
  }

  #isCountedTogether({ store }: RatePolicy): boolean {
    return store !== "socket" && this.#parts.config.rateLimits === "on";
  }

  #quotaOf(policy: RatePolicy): Quota {
    const found = this.#quotas.get(policy.name);
    if (found !== undefined) return found;
    const made = quotaOf(policy, this.#parts.config.rateFactor);
    this.#quotas.set(policy.name, made);
    return made;
  }
}

/** Starts the background work of a cluster's limiter: returning borrowed acts, and deleting rows that have expired. */
export function startRateLimits(ctx: AppContext): void {
  const { limiter } = ctx;
  if (!(limiter instanceof ClusterRateLimiter)) return;
  const { shared, database } = limiter;
  if (shared !== null) {
    startBackgroundJob(ctx, RETURN_MS, "returning borrowed acts failed", () => shared.returnIdle());
  }
  runOnOne(ctx, "sweep rate limits", SWEEP_MS, "the sweep of rate limits failed", () => database.sweep());
}
