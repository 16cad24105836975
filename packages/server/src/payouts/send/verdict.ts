import type { Outcome } from "../../chains/chain.ts";

/** A signed transfer and its outcome. */
export interface ObservedAttempt<A> {
  attempt: A;
  outcome: Outcome;
}

/**
 * The state of a payout, derived from the outcomes of all its attempts.
 * - `settled`, `included`: by that attempt. `reverting`: it failed, in a block that may still be removed.
 * - `reverted`, `lapsed`: it can never move anything any more, so it may be signed again.
 * - `waiting`: it can still be included. `isKnown`: a node has it.
 */
export type Verdict<A> =
  | { status: "settled" | "included" | "reverting" | "reverted"; by: ObservedAttempt<A> }
  | { status: "lapsed" }
  | { status: "waiting"; isKnown: boolean };

/**
 * Returns whether this outcome decides regardless of the others. At most one of the attempts that share a nonce is in a
 * block.
 */
export const isDecisive = ({ state }: Outcome): boolean =>
  state === "confirming" || state === "final" || state === "failed";

/**
 * A payout is lapsed only when no attempt can be included any more. The protection against paying twice depends on
 * this.
 */
export function payoutVerdict<A>(seen: readonly ObservedAttempt<A>[]): Verdict<A> {
  const by = seen.find(({ outcome }) => isDecisive(outcome));
  if (by === undefined) {
    if (seen.every(({ outcome }) => outcome.state === "expired" && outcome.isFinal)) return { status: "lapsed" };
    return { status: "waiting", isKnown: seen.some(({ outcome }) => outcome.state === "pending") };
  }
  if (by.outcome.state === "failed") return { status: by.outcome.isFinal ? "reverted" : "reverting", by };
  return { status: by.outcome.state === "final" ? "settled" : "included", by };
}
