import type { RatePolicy } from "@parley/protocol/limits";
import type { MaybePromise } from "../base/maybe-promise.ts";

/**
 * Counts acts against policies, where each policy says (`store`). Promises: synchronous on a lone server; memory bounded
 * by the subjects seen in a policy's window.
 */
export interface RateLimiter {
  /**
   * Takes one from the subject's quota, or refuses and takes nothing. Subjects are free text, scoped by the policy's
   * name. Rejects only if the policy is counted in the database, with its error.
   */
  take(policy: RatePolicy, subject: string): MaybePromise<RateDecision>;
  /**
   * Takes one from a quota whose state the caller keeps: for subjects that only this node has and that are many, such as
   * its sockets. `state` is 0 at first. Returns the new state, or null for a refusal, which leaves it as it is.
   */
  takeHere(policy: RatePolicy, state: number): number | null;
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
