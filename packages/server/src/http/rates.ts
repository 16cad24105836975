import { RATES } from "@parley/protocol/limits";
import { andThen, type MaybePromise } from "../base/maybe-promise.ts";
import type { AppContext } from "../context.ts";
import { fail } from "../errors.ts";
import type { RateDecision } from "../rate-limit/rate-limiter.ts";
import { limitSubject } from "./connections/address.ts";
import type { Identity } from "./identity.ts";
import type { Terms } from "./route.ts";

/**
 * Returns the subject a policy counts: the account rather than the session or key, so that opening more of them gains
 * nothing.
 */
export function identitySubject(identity: Identity, from: { readonly address: string }): string {
  return identity.kind === "guest" ? limitSubject(from.address) : identity.key;
}

/** Takes from the caller's general quota; `subject` is their `identitySubject`. */
export function takeGeneral(ctx: AppContext, identity: Identity, subject: string): MaybePromise<RateDecision> {
  const policy = identity.kind === "user" ? RATES.session : identity.kind === "agent" ? RATES.agent : RATES.anonymous;
  return ctx.limiter.take(policy, subject);
}

/** True if the operation has a policy that counts by address. */
export const isRatedByAddress = ({ rates }: Terms): boolean => rates?.some(countsAddresses) ?? false;

const countsAddresses = ({ by }: { by: "address" | "identity" }): boolean => by === "address";

/** Takes from each of the operation's own policies of one kind and returns the tightest decision. */
export function takeRoute(
  ctx: AppContext,
  { rates = [] }: Terms,
  by: "address" | "identity",
  subject: string,
  tightest: RateDecision | undefined,
): MaybePromise<RateDecision | undefined> {
  const takeFrom = (at: number, found: RateDecision | undefined): MaybePromise<RateDecision | undefined> => {
    for (let next = at; next < rates.length; next++) {
      const rate = rates[next];
      if (rate?.by !== by) continue;
      return andThen(ctx.limiter.take(RATES[rate.policy], subject), (decision) => {
        if (!decision.allowed) throw rateLimited(decision);
        return takeFrom(next + 1, found === undefined || decision.remaining < found.remaining ? decision : found);
      });
    }
    return found;
  };
  return takeFrom(0, tightest);
}

/** Returns the error of a decision: 429 with `Retry-After` and the rate headers. */
export function rateLimited(decision: RateDecision) {
  return fail("rate_limited", {
    retryAfter: decision.retryAfter,
    headers: { "ratelimit-policy": ratePolicy(decision), ratelimit: rateLeft(decision) },
  });
}

/** Returns `RateLimit-Policy` in the syntax of the IETF draft (draft-ietf-httpapi-ratelimit-headers-10). */
export const ratePolicy = ({ policy }: RateDecision): string => `"${policy.name}";q=${policy.quota};w=${policy.window}`;

/** Returns `RateLimit`: the remaining quota of the policy, and the seconds until it is full again. */
export const rateLeft = ({ policy, remaining, reset }: RateDecision): string =>
  `"${policy.name}";r=${remaining};t=${reset}`;
