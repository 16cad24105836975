import type { RatePolicy } from "@parley/protocol/limits";

/**
 * Counts acts against policies. Promises: per node; never throws; memory bounded by the subjects seen in a policy's
 * window.
 */
export interface RateLimiter {
  /**
   * Takes one from the subject's quota, or refuses and takes nothing. Subjects are free text, scoped by the policy's
   * name.
   */
  take(policy: RatePolicy, subject: string): RateDecision;
  /** Refunds one act that turned out not to count. */
  giveBack(policy: RatePolicy, subject: string): void;
}

export interface RateDecision {
  allowed: boolean;
  policy: RatePolicy;
  /** Whole acts left now. */
  remaining: number;
  /** Whole seconds until the quota is full again. */
  reset: number;
  /** Seconds until the next act passes; 0 when allowed. */
  retryAfter: number;
}
