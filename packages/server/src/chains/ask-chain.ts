import { type SlotLimits, Slots } from "../base/slots.ts";
import { type AppContext, perServer } from "../context.ts";
import { fail } from "../errors.ts";
import type { Chain } from "./chain.ts";

/**
 * Queries that users and guests cause at a time: in all, of one account, to one chain, and of all guests. A server of a
 * chain takes a few more (`RpcCalls`), which are for payouts and for payments that were sent already.
 */
const SLOTS: SlotLimits<"chain" | "guests"> = {
  total: 48,
  perOwner: 4,
  shares: { chain: 12, guests: 24 },
  waiting: 200,
  waitMs: 3_000,
};
const RETRY_AFTER = 5;

const slots = perServer(() => new Slots(SLOTS));

/** For whom a chain is asked: an account, or a guest, of whom only the transaction is known. */
export interface ChainAsker {
  readonly owner: string;
  readonly isGuest?: boolean;
}

/**
 * Asks a chain for an account or a guest, in their turn. Call it before anything is written that relies on the answer.
 * @throws chain_unavailable, without having asked, if there was no slot for too long; and what the query throws
 */
export async function askChain<T>(
  ctx: AppContext,
  { kind, chainId }: Pick<Chain, "kind" | "chainId">,
  { owner, isGuest = false }: ChainAsker,
  query: () => Promise<T>,
): Promise<T> {
  const shares = { chain: `${kind}:${chainId}`, ...(isGuest ? { guests: "" } : {}) };
  const asked = await slots(ctx).run({ owner, shares }, async () => ({ answer: await query() }));
  if (asked === undefined) {
    throw fail("chain_unavailable", {
      message: "Many ask the chain at the same time. Try again shortly.",
      retryAfter: RETRY_AFTER,
    });
  }
  return asked.answer;
}
