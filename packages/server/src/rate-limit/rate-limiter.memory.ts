import type { RatePolicy } from "@parley/protocol/limits";
import type { Clock } from "../clock.ts";
import { permit, type Quota, quotaOf, refuse, TOLERANCE_MS } from "./quota.ts";
import type { RateDecision, RateLimiter } from "./rate-limiter.ts";

interface PolicyState extends Quota {
  /** Time at which each subject's quota is full again (GCRA's "theoretical arrival time"). */
  fullAt: Map<string, number>;
  /** Map size at which subjects with a full quota are removed. */
  sweepAt: number;
}

const SWEEP_MIN = 1_024;
/**
 * Maximum subjects of one policy, some 25 MB: otherwise a stranger with a large IPv6 network could exhaust the memory.
 */
export const SUBJECTS_MAX = 200_000;
/** Subjects that remain after an eviction. */
const SUBJECTS_LEFT = (SUBJECTS_MAX / 8) * 7;

/**
 * Leaky-bucket limits (GCRA) of one node: one number per subject, no refilling. A burst of the whole quota passes, then
 * one act per `window / quota`. Subjects whose quota is full are removed, so memory is bounded by those seen within a
 * window. It is also bounded by `SUBJECTS_MAX`: beyond that, the subjects seen first start again with a full quota.
 */
export class MemoryRateLimiter implements RateLimiter {
  readonly #clock: Clock;
  readonly #factor: number;
  readonly #off: boolean;
  readonly #onRefused: (policy: string) => void;
  readonly #states = new Map<string, PolicyState>();

  /** `onRefused` gets the policy of every refusal. */
  constructor(
    config: { rateLimits: "on" | "off"; rateFactor: number },
    clock: Clock,
    onRefused: (policy: string) => void = () => {},
  ) {
    this.#clock = clock;
    this.#onRefused = onRefused;
    this.#factor = config.rateFactor;
    this.#off = config.rateLimits === "off";
  }

  take(policy: RatePolicy, subject: string): RateDecision {
    const state = this.#states.get(policy.name) ?? this.#add(policy);
    if (this.#off)
      return { allowed: true, policy: state.policy, remaining: state.policy.quota, reset: 0, retryAfter: 0 };
    const now = this.#clock.monotonic();
    const before = Math.max(state.fullAt.get(subject) ?? now, now);
    const after = this.#after(state, before, now);
    if (after === null) return refuse(state, before - now);
    state.fullAt.set(subject, after);
    if (state.fullAt.size > state.sweepAt) sweep(state, now);
    return permit(state, after - now);
  }

  takeHere(policy: RatePolicy, fullAt: number): number | null {
    if (this.#off) return fullAt;
    const now = this.#clock.monotonic();
    return this.#after(this.#states.get(policy.name) ?? this.#add(policy), Math.max(fullAt, now), now);
  }

  giveBack(policy: RatePolicy, subject: string): void {
    const state = this.#states.get(policy.name);
    const seen = state?.fullAt.get(subject);
    if (state === undefined || seen === undefined) return;
    state.fullAt.set(subject, seen - state.cost);
  }

  /** Returns the number of subjects stored for a policy. */
  subjects(policy: RatePolicy): number {
    return this.#states.get(policy.name)?.fullAt.size ?? 0;
  }

  /** Returns when the quota is full again after one more act, or null if that is too far away. */
  #after({ policy, cost, window }: PolicyState, before: number, now: number): number | null {
    const after = before + cost;
    if (after - now - window <= TOLERANCE_MS) return after;
    this.#onRefused(policy.name);
    return null;
  }

  #add(policy: RatePolicy): PolicyState {
    const state: PolicyState = { ...quotaOf(policy, this.#factor), fullAt: new Map(), sweepAt: SWEEP_MIN };
    this.#states.set(policy.name, state);
    return state;
  }
}

/**
 * Removes subjects with a full quota. Runs when the map has doubled or is full, so the amortized cost per act is
 * constant.
 */
function sweep(state: PolicyState, now: number): void {
  const { fullAt: subjects } = state;
  for (const [subject, fullAt] of subjects) if (fullAt <= now) subjects.delete(subject);
  if (subjects.size > SUBJECTS_LEFT) dropFirst(subjects, subjects.size - SUBJECTS_LEFT);
  state.sweepAt = Math.min(SUBJECTS_MAX, Math.max(SWEEP_MIN, subjects.size * 2));
}

function dropFirst(subjects: Map<string, number>, count: number): void {
  let left = count;
  for (const subject of subjects.keys()) {
    if (left-- === 0) return;
    subjects.delete(subject);
  }
}
