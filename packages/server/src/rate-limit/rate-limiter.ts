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
  /** The same for subjects that only this node has, such as its sockets; counted here, whatever the policy says. */
  takeHere(policy: RatePolicy, subject: string): RateDecision;
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
