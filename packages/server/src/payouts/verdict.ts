import type { Outcome } from "../chains/chain.ts";

/** A signed transfer and what became of it. */
export interface Seen<A> {
  attempt: A;
  outcome: Outcome;
}

/**
 * What became of a payout, by what became of all that was signed for it.
 * - `settled`, `included`: by that attempt. `reverting`: it failed, in a block that may still go.
 * - `reverted`, `lapsed`: it can never move anything any more, so that it may be signed anew.
 * - `waiting`: it can still be included. `isKnown`: a server has it.
 */
export type Verdict<A> =
  | { is: "settled" | "included" | "reverting" | "reverted"; by: Seen<A> }
  | { is: "lapsed" }
  | { is: "waiting"; isKnown: boolean };

/** Does this outcome decide, whatever became of the others? At most one of those that share a nonce stands in a block. */
export const isDecisive = ({ state }: Outcome): boolean =>
  state === "confirming" || state === "final" || state === "failed";

/** Only when nothing at all is left that could be included is a payout lapsed: the proof against paying twice hangs on this line. */
export function judge<A>(seen: readonly Seen<A>[]): Verdict<A> {
  const by = seen.find(({ outcome }) => isDecisive(outcome));
  if (by === undefined) {
    if (seen.every(({ outcome }) => outcome.state === "expired" && outcome.isFinal)) return { is: "lapsed" };
    return { is: "waiting", isKnown: seen.some(({ outcome }) => outcome.state === "pending") };
  }
  if (by.outcome.state === "failed") return { is: by.outcome.isFinal ? "reverted" : "reverting", by };
  return { is: by.outcome.state === "final" ? "settled" : "included", by };
}
