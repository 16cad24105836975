import { type AuditActor, audit } from "../audit/audit.ts";
import type { Chain, Observed } from "../chains/chain.ts";
import { chainsOf } from "../chains/chains.ts";
import type { AppContext } from "../context.ts";
import { transact } from "../db/transact.ts";
import { slowly } from "../http/acts/slow.ts";
import { payoutsHalt } from "./pause-payouts.ts";
import { findAttempt, findPayout, insertAttempt, type PayoutRow } from "./payouts.store.ts";
import { finalizePayout } from "./send/finalize-payout.ts";
import { assetOf } from "./send/payout-run.ts";

/**
 * Records that a payout was paid by a transaction this database does not know: after a restore from a backup it would
 * pay again. The transaction must be final on the chain, and one transaction pays one payout only. Works only while
 * payouts are halted, so that nobody pays it concurrently. Returns the reason for a refusal in words, or null if the
 * payout is settled.
 * Errors: `chain_unavailable`.
 */
export async function markPaid(ctx: AppContext, actor: AuditActor, id: number, text: string): Promise<string | null> {
  const payout = await findPayout(ctx.db, id);
  if (payout === undefined || payout.purpose === "gap") return `There is no payout ${id}.`;
  if (payout.state === "settled") return `Payout ${id} is already settled by ${payout.hash}.`;
  const chain = chainsOf(ctx).find(payout.chain, payout.chain_id);
  if (chain === null) return `The settings do not include the chain ${payout.chain}:${payout.chain_id}.`;
  const hash = chain.normalHash(text);
  if (hash === null) return `"${text}" is not a transaction hash of that chain.`;
  const problem = paymentProblem(chain, payout, await slowly(ctx, "chain", () => chain.observe(hash)));
  if (problem !== null) return `The transaction ${hash} ${problem}.`;
  return transact(ctx, async (ctx) => {
    if ((await payoutsHalt(ctx)) === null) return "Payouts are running. Stop them first: parley payouts stop";
    const known = await findAttempt(ctx.db, hash);
    if (known !== undefined && known.payout_id !== id)
      return `The transaction ${hash} already paid payout ${known.payout_id}.`;
    const attemptId = known?.id ?? (await insertAttempt(ctx.db, seenAttempt(payout, chain, hash, ctx.clock.now())));
    await finalizePayout(ctx, payout, { as: "settled", by: { attemptId, hash, feePaid: null, gasCurrency: "" } });
    await audit(ctx, actor, "payout_paid", `payout:${id}`, { tx_hash: hash });
    return null;
  });
}

/** Returns why the transaction did not pay exactly this payout, or null if it did. */
function paymentProblem(chain: Chain, payout: PayoutRow, { state, transfers }: Observed): string | null {
  if (state !== "final") return `is ${state}, not final`;
  const tokenAddress = assetOf({ chain }, payout)?.tokenAddress;
  const wallets = [chain.treasury, payout.payer];
  const isPaid = transfers.some(
    ({ sender, recipient, amount, asset }) =>
      wallets.includes(sender) &&
      recipient === payout.recipient &&
      String(amount) === payout.amount &&
      asset.tokenAddress === tokenAddress,
  );
  return isPaid ? null : `did not move ${payout.amount} ${payout.currency} from the treasury to ${payout.recipient}`;
}

/** The attempt row for a transaction that was seen on the chain but whose signed bytes are unknown. */
const seenAttempt = ({ id, round }: PayoutRow, { treasury }: Chain, hash: string, now: number) => ({
  payout_id: id,
  round,
  payer: treasury ?? "",
  nonce: null,
  bytes: "",
  hash,
  fee: "0",
  valid_until: null,
  state: "live" as const,
  created_at: now,
});
