import { KeyedMutex } from "../../base/concurrency-limiter.ts";
import { settleDemand } from "../../budgets/demands.ts";
import { type AppContext, perServer } from "../../context.ts";
import { transactTogether } from "../../db/group-commit.ts";
import { AppError, fail } from "../../errors.ts";
import { withoutAct } from "../../http/acts/act.ts";
import { isTakenByOther, type Receipt, takeReceipt } from "../../onchain/receipts.ts";
import { type ChallengeRow, findChallenge, useChallenge } from "../offers/challenges.store.ts";
import { principalOf } from "../offers/challenges.ts";
import { findHolder, grantReserved, type PaymentRow, regrant, release } from "../payments.store.ts";
import type { PayerProof } from "./payer-proof.ts";
import type { Grant, Presentation } from "./presentation.ts";
import { mayFetchAgain, newRefetchToken } from "./refetch.ts";
import { hold, isBusy, recordRefusal, restoreRevoked, verificationPending, wasGranted } from "./reservation.ts";
import { type VerifiedPayment, verifyPayment } from "./verify-payment.ts";

/** When the block of a grant is checked again. */
export const RECHECK_MS = 3 * 60_000;

/** Presentations of a transaction, by its key. */
const presentations = perServer(() => new KeyedMutex());

/** Signed presentations waiting for each transaction, on this node. */
const signedWaiting = perServer(() => new Map<string, number>());

/**
 * Takes a transaction as payment: reserves it in the database, looks it up on the chain and grants it, in that order.
 * Despite crashes it pays for at most one thing, and a grant stays. Concurrent presentations of one transaction are
 * serialized, but a payer's signature that arrives before a weaker claim is granted takes precedence (protocol §7).
 * Errors: those of `verifyPayment`, `payment_already_used`, `payment_pending`, `chain_unavailable`.
 */
export async function redeem(ctx: AppContext, presented: Presentation): Promise<Grant> {
  const { chain, txHash, proof } = presented;
  const key = `${chain.kind} ${chain.chainId} ${txHash}`;
  const inTurn = (yieldsTo: string | null) => presentations(ctx).run(key, () => redeemNext(ctx, presented, yieldsTo));
  if (proof.signature === null) return (await inTurn(key)) ?? (await mustGrant(inTurn(null)));
  const waiting = signedWaiting(ctx);
  waiting.set(key, (waiting.get(key) ?? 0) + 1);
  try {
    return await mustGrant(inTurn(null));
  } finally {
    const left = (waiting.get(key) ?? 1) - 1;
    if (left === 0) waiting.delete(key);
    else waiting.set(key, left);
  }
}

async function mustGrant(grant: Promise<Grant | null>): Promise<Grant> {
  const granted = await grant;
  if (granted === null) throw new Error("A presentation that yields to nobody was neither granted nor refused.");
  return granted;
}

const WEAKER: ReadonlySet<PayerProof> = new Set<PayerProof>(["profile", "amount", "none"]);

/**
 * Returns null if a signed presentation waits under the key `yieldsTo`; call again after it and must be retried after
 * them.
 */
async function redeemNext(ctx: AppContext, presented: Presentation, yieldsTo: string | null): Promise<Grant | null> {
  const { chain, txHash } = presented;
  const holder = await findHolder(ctx.db, { chain: chain.kind, chain_id: chain.chainId, tx_hash: txHash });
  if (holder?.state === "granted") {
    if (await mayFetchAgain(ctx, presented, holder)) return grantOf(holder);
    return (await grantToPayer(ctx, presented, holder)) ?? refuseUsed();
  }
  if (await isTakenByOther(ctx, receiptOf(presented, holder?.id ?? 0))) throw fail("payment_already_used");
  const early = await strongerProof(ctx, presented, holder);
  const reserved = await hold(ctx, presented, holder, early !== null);
  try {
    const named = await answeredBefore(ctx, presented, reserved);
    const verified =
      early ?? (await verifyPayment(ctx, { ...presented, named }, wasGranted(reserved) ? reserved : null));
    if (
      yieldsTo !== null &&
      !wasGranted(reserved) &&
      WEAKER.has(verified.binding) &&
      signedWaiting(ctx).has(yieldsTo)
    ) {
      await release(ctx.db, reserved);
      return null;
    }
    return await grant(ctx, presented, reserved, verified);
  } catch (error) {
    // Needs nobody's right: a caller who has lost theirs may present the payment again if they get it back.
    const recording = withoutAct(ctx);
    if (wasGranted(reserved)) await restoreRevoked(recording, reserved, holder?.granted_at ?? reserved.created_at);
    else await recordRefusal(recording, reserved, error);
    throw error;
  }
}

const refuseUsed = (): never => {
  throw fail("payment_already_used");
};

/**
 * Grants a transaction once more to its payer, by signature, if it was granted to a caller of whom nothing was known:
 * whoever watches the chain can show a hash first. From then on the grant is the payer's. Returns null if the grant had
 * bound somebody, or the caller is not the payer.
 */
async function grantToPayer(ctx: AppContext, presented: Presentation, held: PaymentRow): Promise<Grant | null> {
  const { caller, offer, proof } = presented;
  if (held.binding !== "none" || proof.signature === null) return null;
  const verified = await verifyPayment(ctx, presented).catch((error: unknown) => {
    // Another's signature changes nothing about a grant.
    if (error instanceof AppError && error.code === "invalid_payment_signature") return null;
    throw error;
  });
  if (verified?.binding !== "signature") return null;
  const { binding, challenges } = verified;
  const { token, hash } = newRefetchToken(ctx);
  return transactTogether(ctx, async (ctx) => {
    const change = {
      payment_id: await useOneOf(ctx, challenges, held.id),
      principal: principalOf(caller),
      resource: offer.resource,
      binding,
      granted_at: ctx.clock.now(),
      refetch_hash: hash,
    };
    if (!(await regrant(ctx.db, held.id, change))) return refuseUsed();
    await settleDemand(ctx, { ...held, ...change, amount: held.amount ?? "0" });
    return { ...grantOf({ ...held, ...change }), refetchToken: token };
  });
}

const grantOf = ({ id, tx_hash, payer, granted_at }: PaymentRow): Grant => ({
  id,
  tx_hash,
  payer,
  granted_at: granted_at ?? 0,
});

/**
 * While another node checks the transaction for a weaker claim: returns the proof that the caller is its payer and may
 * take over the reservation. null: the caller has to wait.
 */
async function strongerProof(
  ctx: AppContext,
  presented: Presentation,
  holder: PaymentRow | undefined,
): Promise<VerifiedPayment | null> {
  if (holder === undefined || !isBusy(ctx, holder) || wasGranted(holder)) return null;
  if (presented.proof.signature === null) return null;
  const verified = await verifyPayment(ctx, presented);
  return verified.binding === "signature" ? verified : null;
}

/** Returns the demand that a revoked payment had answered, if it is back on its chain. */
async function answeredBefore(
  ctx: AppContext,
  { named }: Presentation,
  { payment_id }: PaymentRow,
): Promise<ChallengeRow | null> {
  const answered = payment_id === null ? undefined : await findChallenge(ctx.db, payment_id);
  return answered ?? named;
}

async function grant(
  ctx: AppContext,
  presented: Presentation,
  reserved: PaymentRow,
  verified: VerifiedPayment,
): Promise<Grant> {
  const { challenges, transfer, binding, blockHash } = verified;
  const { token, hash } = newRefetchToken(ctx);
  return transactTogether(ctx, async (ctx) => {
    const now = ctx.clock.now();
    if (!(await takeReceipt(ctx, receiptOf(presented, reserved.id)))) throw fail("payment_already_used");
    const granted = {
      payment_id: await useOneOf(ctx, challenges, reserved.id),
      currency: transfer.asset.currency,
      recipient: transfer.recipient,
      amount: transfer.amount.toString(),
      payer: transfer.sender,
      binding,
      block_hash: blockHash,
      granted_at: now,
      due_at: now + RECHECK_MS,
      refetch_hash: reserved.refetch_hash ?? hash,
    };
    // The lease expired and another caller took over.
    if (!(await grantReserved(ctx.db, reserved, granted))) throw verificationPending();
    const answered = challenges.find(({ payment_id }) => payment_id === granted.payment_id);
    const amount = answered?.amount === granted.amount ? answered.price : granted.amount;
    await settleDemand(ctx, { ...reserved, ...granted, amount });
    const given = { id: reserved.id, tx_hash: reserved.tx_hash, payer: transfer.sender, granted_at: now };
    // A payment that returned to its chain keeps its earlier token.
    return reserved.refetch_hash === null ? { ...given, refetchToken: token } : given;
  });
}

/** Uses up the first unanswered demand and returns its id; null if there are no demands. */
async function useOneOf(ctx: AppContext, challenges: readonly ChallengeRow[], by: number): Promise<string | null> {
  if (challenges.length === 0) return null;
  for (const { payment_id } of challenges) if (await useChallenge(ctx.db, payment_id, by)) return payment_id;
  throw fail("payment_required", {
    message: "Another payment already settled this demand. This transaction has not been used.",
    details: { problem: "challenge_used" },
  });
}

const receiptOf = ({ chain, txHash }: Presentation, paymentId: number): Receipt => ({
  chain: chain.kind,
  chainId: chain.chainId,
  txHash,
  purpose: "payment",
  subject: String(paymentId),
});
