import type { Clock } from "../clock.ts";
import { RedisScript, type RedisShard, type RedisShards } from "../redis/shards.ts";
import { permit, type Quota, refuse, sharedKey } from "./quota.ts";
import type { RateDecision } from "./rate-limiter.ts";

/** The share of a quota that a node borrows at once. */
const SHARE = 20;
/** A subject that is idle this long gives back what it has not used. */
const IDLE_MS = 2_000;
/** How long nodes count alone before they ask a silent Redis again. */
const SILENT_MS = 1_000;
/** How long a refusal is repeated without asking: by then, another node may have given acts back. */
const REFUSED_MS = 1_000;
/** Subjects with borrowed acts or a refusal in memory. The oldest is forgotten first; its acts stay charged. */
const SUBJECTS_MAX = 100_000;
/** Subjects that give back in one pass. The acts of the others become free as time passes. */
const RETURNS_MAX = 5_000;
const RETURNS_STEP = 200;

/**
 * GCRA: the key holds the time at which the quota is full again, in microseconds of the server's clock, and expires then.
 * Grants as many acts as there are, up to the number wanted. Returns them, and how far the subject is ahead of the clock.
 * A time further ahead than the window, which is left when the clock was set back, is corrected.
 */
const BORROW = new RedisScript(`
local time = redis.call("TIME")
local now = time[1] * 1000000 + time[2]
local cost, window, wanted = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local stored = tonumber(redis.call("GET", KEYS[1]) or "") or now
local full = math.min(math.max(stored, now), now + window)
local granted = math.min(wanted, math.floor((now + window - full) / cost + 0.001))
if granted > 0 or stored > full then
  full = full + granted * cost
  redis.call("SET", KEYS[1], string.format("%.0f", full), "PX", math.ceil((full - now) / 1000))
end
return {granted, math.ceil(full - now)}`);

/** Takes the cost of acts that were not used from the key. */
const GIVE_BACK = new RedisScript(`
local time = redis.call("TIME")
local now = time[1] * 1000000 + time[2]
local full = tonumber(redis.call("GET", KEYS[1]) or "")
if not full then return 0 end
full = full - tonumber(ARGV[1])
if full <= now then return redis.call("DEL", KEYS[1]) end
redis.call("SET", KEYS[1], string.format("%.0f", full), "PX", math.ceil((full - now) / 1000))
return 1`);

/** A subject's quota as this node knows it. Times are monotonic milliseconds. */
interface Loan {
  readonly key: string;
  readonly quota: Quota;
  /** Borrowed acts that are not used yet. */
  left: number;
  usedAt: number;
  /** How far the subject was ahead of the clock, with everything that was borrowed, when Redis answered. */
  ahead: number;
  answeredAt: number;
  isRefused: boolean;
  /** Acts that wait for an answer. */
  waiting: number;
  asking: Promise<void> | null;
}

interface Parts {
  redis: RedisShards;
  clock: Clock;
  /** Called when a server that answered becomes silent. */
  onSilent(shard: RedisShard, error: unknown): void;
}

/**
 * Quotas that all nodes count together, in Redis. A node borrows a twentieth of a quota, which is charged at once, and
 * returns what a subject has not used after two seconds: of N acts, at most N pass, wherever they are tried, and most
 * are decided without asking.
 */
export class SharedQuotas {
  readonly #parts: Parts;
  readonly #loans = new Map<string, Loan>();
  /** Until when servers that did not answer are not asked. */
  readonly #silentUntil = new Map<RedisShard, number>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Takes one act; null: Redis is silent, and the node must decide alone. Synchronous while borrowed acts remain. */
  take(quota: Quota, subject: string): RateDecision | null | Promise<RateDecision | null> {
    const loan = this.#loanOf(quota, sharedKey(quota, subject));
    const now = this.#parts.clock.monotonic();
    const ahead = Math.max(0, loan.ahead - (now - loan.answeredAt));
    if (loan.left > 0) {
      loan.left -= 1;
      loan.usedAt = now;
      return permit(quota, Math.max(0, ahead - loan.left * quota.cost));
    }
    if (loan.isRefused && ahead + quota.cost > quota.window && now - loan.answeredAt < REFUSED_MS) {
      return refuse(quota, ahead);
    }
    const shard = this.#shardOf(loan);
    if (!shard.isUp || now < (this.#silentUntil.get(shard) ?? 0)) return null;
    loan.waiting += 1;
    loan.asking ??= this.#borrow(shard, loan);
    return loan.asking.then(() => {
      loan.waiting -= 1;
      return this.take(quota, subject);
    });
  }

  /** Gives one act back. */
  giveBack(quota: Quota, subject: string): void {
    const loan = this.#loanOf(quota, sharedKey(quota, subject));
    loan.left += 1;
    loan.usedAt = this.#parts.clock.monotonic();
  }

  /** Returns what idle subjects have not used, and forgets them. Run each second. */
  async returnIdle(): Promise<void> {
    const now = this.#parts.clock.monotonic();
    const returns: Loan[] = [];
    for (const loan of this.#loans.values()) {
      if (loan.waiting > 0 || now - Math.max(loan.usedAt, loan.answeredAt) < IDLE_MS) continue;
      this.#loans.delete(loan.key);
      const isCharged = loan.left > 0 && loan.ahead > now - loan.answeredAt;
      if (isCharged && returns.length < RETURNS_MAX) returns.push(loan);
    }
    // Not all at once: those who are asked for an act meanwhile must not take Redis for silent.
    for (let from = 0; from < returns.length; from += RETURNS_STEP) {
      await Promise.all(returns.slice(from, from + RETURNS_STEP).map((loan) => this.#return(loan)));
    }
  }

  #loanOf(quota: Quota, key: string): Loan {
    const found = this.#loans.get(key);
    if (found !== undefined) return found;
    const at = this.#parts.clock.monotonic();
    const made: Loan = {
      key,
      quota,
      left: 0,
      usedAt: at,
      ahead: 0,
      answeredAt: at,
      isRefused: false,
      waiting: 0,
      asking: null,
    };
    if (this.#loans.size >= SUBJECTS_MAX) {
      for (const oldest of this.#loans.keys()) {
        this.#loans.delete(oldest);
        break;
      }
    }
    this.#loans.set(key, made);
    return made;
  }

  async #borrow(shard: RedisShard, loan: Loan): Promise<void> {
    const { cost, window, policy } = loan.quota;
    // The acts of one turn ask together.
    await Promise.resolve();
    const wanted = Math.max(1, Math.floor(policy.quota / SHARE), loan.waiting);
    try {
      const costs = [Math.round(cost * 1_000), window * 1_000, wanted];
      const answer = await shard.runBriefly(BORROW, [this.#parts.redis.prefix + loan.key], costs);
      const [granted, ahead] = answer as [number, number];
      loan.left += granted;
      loan.ahead = ahead / 1_000;
      loan.isRefused = granted === 0;
      loan.answeredAt = this.#parts.clock.monotonic();
    } catch (error) {
      this.#silenced(shard, error);
    } finally {
      loan.asking = null;
    }
  }

  async #return(loan: Loan): Promise<void> {
    const shard = this.#shardOf(loan);
    if (!shard.isUp) return;
    const amount = Math.round(loan.left * loan.quota.cost * 1_000);
    try {
      await shard.runBriefly(GIVE_BACK, [this.#parts.redis.prefix + loan.key], [amount]);
    } catch (error) {
      this.#silenced(shard, error);
    }
  }

  #shardOf({ key }: Loan): RedisShard {
    return this.#parts.redis.shardOf(key);
  }

  #silenced(shard: RedisShard, error: unknown): void {
    const now = this.#parts.clock.monotonic();
    const until = this.#silentUntil.get(shard);
    // A server that stays silent is reported once.
    if (until === undefined || now > until + SILENT_MS) this.#parts.onSilent(shard, error);
    this.#silentUntil.set(shard, now + SILENT_MS);
  }
}
