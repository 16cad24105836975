import { createHash } from "node:crypto";
import type { RatePolicy } from "@parley/protocol/limits";
import type { RateDecision } from "./rate-limiter.ts";

/** A policy in the units that the limiters count with. */
export interface Quota {
  /** The policy with this server's factor applied. */
  readonly policy: RatePolicy;
  /** Milliseconds that one act costs. */
  readonly cost: number;
  /** Milliseconds of cost a subject may be ahead of the clock. */
  readonly window: number;
}

/** Returns the quota of a policy; `factor` multiplies it unless it is fixed. */
export function quotaOf({ name, quota, window, fixed, store }: RatePolicy, factor: number): Quota {
  const acts = quota * (fixed === true ? 1 : factor);
  return { policy: { name, quota: acts, window, store }, cost: (window * 1_000) / acts, window: window * 1_000 };
}

/** Half a microsecond of tolerance: rounding of sums must not refuse the last act of a quota. */
export const TOLERANCE_MS = 0.0005;

/** Returns the decision for an act that passes and leaves the subject `ahead` milliseconds ahead of the clock. */
export function permit({ policy, cost, window }: Quota, ahead: number): RateDecision {
  return {
    allowed: true,
    policy,
    remaining: Math.max(0, Math.floor((window - ahead) / cost + 1e-6)),
    reset: Math.ceil(ahead / 1_000),
    retryAfter: 0,
  };
}

/** Returns the refusal of a subject that is `ahead` milliseconds ahead of the clock. */
export function refuse({ policy, cost, window }: Quota, ahead: number): RateDecision {
  const over = Math.max(0, ahead + cost - window);
  return { allowed: false, policy, remaining: 0, reset: Math.ceil(ahead / 1_000), retryAfter: over / 1_000 };
}

const SUBJECT_MAX = 64;

/** Returns the key under which nodes count a subject together. Long subjects are hashed, so keys are bounded. */
export function sharedKey({ policy }: Quota, subject: string): string {
  const short =
    subject.length <= SUBJECT_MAX ? subject : `#${createHash("sha256").update(subject).digest("base64url")}`;
  return `${policy.name} ${short}`;
}
