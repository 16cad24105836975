import { KeyedMutex } from "../../base/concurrency-limiter.ts";
import { settlePayment } from "../../budgets/payments.ts";
import { type AppContext, perServer } from "../../context.ts";
import { isUniqueViolation } from "../../db/database.ts";
import { transactTogether, writeTogether } from "../../db/group-commit.ts";
import { AppError, fail } from "../../errors.ts";
import { withoutAct } from "../../http/acts/act.ts";
import { isTakenByOther, type Receipt, takeReceipt } from "../../onchain/transaction-purpose.ts";
import { type ChallengeRow, findChallenge, useChallenge } from "../offers/challenges.store.ts";
import { principalOf } from "../offers/challenges.ts";
import { findHolder, move, type PaymentRow, regrant, release, reserve } from "../payments.store.ts";
import type { Binding } from "./binding.ts";
import { type Grant, grantOf, grantPayment, mayFetchAgain, newRefetchToken } from "./grant.ts";
import { problemOf } from "./observe.ts";
import { type TransactionPayment, type VerifiedPayment, verifyPayment } from "./verify.ts";

/** Longer than the chain may take to answer (10 s); after a crash a reservation expires after this time. */
export const LEASE_MS = 20_000;

/** Bindings that give way to the payer's signature until they are granted. */
const WEAKER: ReadonlySet<Binding> = new Set<Binding>(["profile", "amount", "none"]);

/** Payments by one transaction, by its key. */
const inTurn = perServer(() => new KeyedMutex());

/** Payments with the payer's signature that wait for each transaction, on this node. */
const signedWaiting = perServer(() => new Map<string, number>());

/**
 * Takes a transaction as payment: reserves it in the database, looks it up on the chain and grants it, in that order.
 * Despite crashes it pays for at most one thing, and a grant stays. Concurrent payments by one transaction are
 * serialized, but a payer's signature that arrives before a weaker binding is granted takes precedence (protocol §7).
 * Errors: those of `verifyPayment`, `payment_already_used`, `payment_pending`, `chain_unavailable`.
 */
export async function payByTransaction(ctx: AppContext, payment: TransactionPayment): Promise<Grant> {
  const { chain, txHash, proof } = payment;
  const key = `${chain.kind} ${chain.chainId} ${txHash}`;
  const next = (yieldsTo: string | null) => inTurn(ctx).run(key, () => payNext(ctx, payment, yieldsTo));
  if (proof.signature === null) return (await next(key)) ?? (await mustGrant(next(null)));
  const waiting = signedWaiting(ctx);
  waiting.set(key, (waiting.get(key) ?? 0) + 1);
  try {
    return await mustGrant(next(null));
  } finally {
    const left = (waiting.get(key) ?? 1) - 1;
    if (left === 0) waiting.delete(key);
    else waiting.set(key, left);
  }
}

async function mustGrant(grant: Promise<Grant | null>): Promise<Grant> {
  const granted = await grant;
  if (granted === null) throw new Error("A payment that yields to nobody was neither granted nor refused.");
  return granted;
}

/**
 * The steps of one payment. Returns null if one with a signature waits under the key `yieldsTo`: then the caller must retry
 * after it.
 */
async function payNext(ctx: AppContext, payment: TransactionPayment, yieldsTo: string | null): Promise<Grant | null> {
  const { chain, txHash } = payment;
  const row = await findHolder(ctx.db, { chain: chain.kind, chain_id: chain.chainId, tx_hash: txHash });
  if (row?.state === "granted") {
    if (await mayFetchAgain(ctx, payment, row)) return grantOf(row);
    return grantToPayer(ctx, payment, row);
  }
  if (await isTakenByOther(ctx, receiptOf(payment, row?.id ?? 0))) throw fail("payment_already_used");
  const early = await verifyEarly(ctx, payment, row);
  const reserved = await reserveTransaction(ctx, payment, row, early !== null);
  try {
    const named = await answeredBefore(ctx, payment, reserved);
    const before = wasGranted(reserved) ? reserved : null;
    const verified = early ?? (await verifyPayment(ctx, { ...payment, named }, before));
    const isSignedWaiting = yieldsTo !== null && signedWaiting(ctx).has(yieldsTo);
    if (isSignedWaiting && before === null && WEAKER.has(verified.binding)) {
      await release(ctx.db, reserved);
      return null;
    }
    return await grant(ctx, payment, reserved, verified);
  } catch (error) {
    // Needs nobody's right: a caller who has lost theirs may show the payment again if they get it back.
    await recordRefusal(withoutAct(ctx), reserved, row?.granted_at ?? reserved.created_at, error);
    throw error;
  }
}

/** Returns whether it was granted before and then revoked; the row keeps the owner. */
const wasGranted = ({ binding }: PaymentRow): boolean => binding !== null;

/** Returns whether another caller's payment by the transaction is being checked. */
const isBusy = (ctx: AppContext, { state, lease_until }: PaymentRow): boolean =>
  state === "verifying" && lease_until > ctx.clock.now();

/**
 * Grants a transaction once more to its payer, by signature, if it was granted to a caller of whom nothing was known:
 * whoever watches the chain can show a hash first. From then on the grant is the payer's.
 * Errors: `payment_already_used` if the grant was bound to somebody, or the caller is not the payer.
 */
async function grantToPayer(ctx: AppContext, payment: TransactionPayment, granted: PaymentRow): Promise<Grant> {
  const { caller, offer, proof } = payment;
  if (granted.binding !== "none" || proof.signature === null) throw fail("payment_already_used");
  const verified = await verifyPayment(ctx, payment).catch((error: unknown) => {
    // Another's signature changes nothing about a grant.
    if (error instanceof AppError && error.code === "invalid_payment_signature") return null;
    throw error;
  });
  if (verified?.binding !== "signature") throw fail("payment_already_used");
  const { token, hash } = newRefetchToken(ctx);
  return transactTogether(ctx, async (ctx) => {
    const answered = await useOneOf(ctx, verified.challenges, granted.id);
    const change = {
      payment_id: answered?.payment_id ?? null,
      principal: principalOf(caller),
      resource: offer.resource,
      binding: verified.binding,
      granted_at: ctx.clock.now(),
      refetch_hash: hash,
    };
    if (!(await regrant(ctx.db, granted.id, change))) throw fail("payment_already_used");
    await settlePayment(ctx, { ...granted, ...change, amount: granted.amount ?? "0" });
    return { ...grantOf({ ...granted, ...change }), refetchToken: token };
  });
}

/**
 * Verifies a payment with a signature before it is reserved, while another node checks the transaction for a weaker
 * binding. Returns null unless the caller is its payer, who may take over the reservation: the others have to wait.
 */
async function verifyEarly(
  ctx: AppContext,
  payment: TransactionPayment,
  row: PaymentRow | undefined,
): Promise<VerifiedPayment | null> {
  if (row === undefined || !isBusy(ctx, row) || wasGranted(row) || payment.proof.signature === null) return null;
  const verified = await verifyPayment(ctx, payment);
  return verified.binding === "signature" ? verified : null;
}

/**
 * Reserves the transaction. Errors: `payment_pending` while another payment by it is being checked, unless this one
 * `outranks` it; `payment_already_used`.
 */
async function reserveTransaction(
  ctx: AppContext,
  { caller, offer, chain, txHash, current }: TransactionPayment,
  row: PaymentRow | undefined,
  outranks: boolean,
): Promise<PaymentRow> {
  const now = ctx.clock.now();
  const { resource } = offer;
  const principal = principalOf(caller);
  const lease_until = now + LEASE_MS;
  if (row !== undefined) {
    const isTheirs = row.resource === resource && row.principal === principal;
    if (wasGranted(row) && !isTheirs) throw fail("payment_already_used");
    if (isBusy(ctx, row) && !outranks) throw verificationPending();
    // Left by a crash, or revoked when its block was removed, and perhaps back by now.
    const change = isTheirs
      ? ({ state: "verifying", lease_until, granted_at: null, due_at: null } as const)
      : ({ state: "refused", reason: "abandoned" } as const);
    if (!(await move(ctx.db, row, change))) throw verificationPending();
    if (isTheirs) return { ...row, ...change };
  }
  try {
    const key = { chain: chain.kind, chain_id: chain.chainId, tx_hash: txHash };
    const price = { currency: current.asset.currency, recipient: current.recipient, price: current.amount.toString() };
    const reservation = { ...key, resource, principal, lease_until, ...price, created_at: now };
    const reserved = await writeTogether(ctx, (ctx) => reserve(ctx.db, reservation));
    if (reserved !== null) return reserved;
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
  }
  throw verificationPending();
}

const verificationPending = () =>
  fail("payment_pending", {
    message: "This transaction is being checked. Send the same proof again shortly.",
    retryAfter: 2,
  });

/** Returns the challenge that a revoked payment had answered, if it is back on its chain; else the named one. */
async function answeredBefore(
  ctx: AppContext,
  { named }: TransactionPayment,
  { payment_id }: PaymentRow,
): Promise<ChallengeRow | null> {
  const answered = payment_id === null ? undefined : await findChallenge(ctx.db, payment_id);
  return answered ?? named;
}

/** Takes the transaction, uses up a challenge and stores the grant, in one transaction of the database. */
async function grant(
  ctx: AppContext,
  payment: TransactionPayment,
  reserved: PaymentRow,
  { challenges, transfer, binding, blockHash }: VerifiedPayment,
): Promise<Grant> {
  const { token, hash } = newRefetchToken(ctx);
  // A payment that returned to its chain keeps its earlier token.
  const refetchHash = reserved.refetch_hash ?? hash;
  return transactTogether(ctx, async (ctx) => {
    if (!(await takeReceipt(ctx, receiptOf(payment, reserved.id)))) throw fail("payment_already_used");
    const challenge = await useOneOf(ctx, challenges, reserved.id);
    const granted = await grantPayment(ctx, reserved, { transfer, binding, blockHash, challenge, refetchHash });
    // The lease expired and another caller took over.
    if (granted === null) throw verificationPending();
    return refetchHash === hash ? { ...granted, refetchToken: token } : granted;
  });
}

/** Uses up the first challenge that no other payment has used; null if there are no challenges. */
async function useOneOf(
  ctx: AppContext,
  challenges: readonly ChallengeRow[],
  by: number,
): Promise<ChallengeRow | null> {
  if (challenges.length === 0) return null;
  for (const challenge of challenges) if (await useChallenge(ctx.db, challenge.payment_id, by)) return challenge;
  throw fail("payment_required", {
    message: "Another payment has already used this challenge. This transaction has not been used.",
    details: { problem: "challenge_used" },
  });
}

const receiptOf = ({ chain, txHash }: TransactionPayment, paymentId: number): Receipt => ({
  chain: chain.kind,
  chainId: chain.chainId,
  txHash,
  purpose: "payment",
  subject: String(paymentId),
});

/**
 * Ends a reservation that led to no grant. A payment that was granted before is revoked again: its row must stay, or
 * the transaction would lose its owner. A refusal that says something about an existing transaction is kept for the
 * operator; any other reservation is released.
 */
async function recordRefusal(ctx: AppContext, reserved: PaymentRow, granted_at: number, error: unknown): Promise<void> {
  if (wasGranted(reserved)) return void (await move(ctx.db, reserved, { state: "revoked", granted_at }));
  const code = error instanceof AppError ? error.code : "internal_error";
  const problem = problemOf(error);
  const isPassing = code === "payment_pending" || code === "chain_unavailable" || code === "internal_error";
  if (isPassing || (code === "tx_not_found" && problem === null)) await release(ctx.db, reserved);
  else await move(ctx.db, reserved, { state: "refused", reason: problem ?? code });
}
