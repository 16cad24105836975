import { PAYMENT_REPEAT_SECONDS } from "@parley/protocol/payments";
import type { Chain } from "../chains/chain.ts";
import type { AppContext } from "../context.ts";
import { isUniqueViolation } from "../db/database.ts";
import { transactTogether, writeTogether } from "../db/together.ts";
import { AppError, fail } from "../errors.ts";
import type { Identity } from "../http/identity.ts";
import { oneAtATime } from "../one-at-a-time.ts";
import { isTakenByOther, type Receipt, takeReceipt } from "../packets/receipts.ts";
import { isPayersSignature } from "./binding.ts";
import { type ChallengeRow, findChallenge, useChallenge } from "./challenges.store.ts";
import { GUEST_PRINCIPAL, principalOf } from "./challenges.ts";
import { type Judged, judge } from "./judge.ts";
import { findHolder, grantReserved, move, type PaymentRow, release, reserve } from "./payments.store.ts";
import type { Proof } from "./proof.ts";
import type { Offer, Terms } from "./terms.ts";

/** Longer than the chain may take to answer (10 s); after a crash a reservation is free again so much later. */
const LEASE_MS = 20_000;
/** When a grant's block is looked at again. */
export const RECHECK_MS = 3 * 60_000;

/** A transaction that is presented as payment for something. */
export interface Presentation {
  readonly caller: Identity;
  readonly offer: Offer;
  readonly terms: Terms;
  readonly proof: Proof;
  /** Where the transaction is said to be. */
  readonly chain: Chain;
  /** In the chain's own spelling. */
  readonly txHash: string;
  /** The demand that it is said to answer; null: it names none. */
  readonly named: ChallengeRow | null;
}

/** What was granted, now or before. */
export type Grant = Pick<PaymentRow, "id" | "tx_hash" | "payer"> & { readonly granted_at: number };

/**
 * Takes a transaction as payment: it is reserved in the database, looked up on the chain, and granted, in that order. Whatever crashes
 * between, it pays for one thing at most, and what was granted stays so. Of those who present the same one at once each is heard after
 * the other.
 * Errors: those of `judge`, `payment_already_used`, `payment_pending`, `chain_unavailable`.
 */
export function redeem(ctx: AppContext, presented: Presentation): Promise<Grant> {
  const { chain, txHash } = presented;
  return oneAtATime(ctx, `${chain.kind} ${chain.chainId} ${txHash}`, () => redeemNext(ctx, presented));
}

async function redeemNext(ctx: AppContext, presented: Presentation): Promise<Grant> {
  const { chain, txHash } = presented;
  const holder = await findHolder(ctx.db, { chain: chain.kind, chain_id: chain.chainId, tx_hash: txHash });
  if (holder?.state === "granted") {
    if (await mayFetchAgain(ctx, presented, holder)) return { ...holder, granted_at: holder.granted_at ?? 0 };
    throw fail("payment_already_used");
  }
  if (await isTakenByOther(ctx, receiptOf(presented, holder?.id ?? 0))) throw fail("payment_already_used");
  const reserved = await hold(ctx, presented, holder);
  try {
    const judged = await judge(ctx, { ...presented, named: await answeredBefore(ctx, presented, reserved) });
    return await grant(ctx, presented, reserved, judged);
  } catch (error) {
    if (wasGranted(reserved)) await putBack(ctx, reserved, holder?.granted_at ?? reserved.created_at);
    else await giveUp(ctx, reserved, error);
    throw error;
  }
}

/** A payment that was revoked, and is back, answers the demand which it had answered. */
async function answeredBefore(
  ctx: AppContext,
  { named }: Presentation,
  { payment_id }: PaymentRow,
): Promise<ChallengeRow | null> {
  const answered = payment_id === null ? undefined : await findChallenge(ctx.db, payment_id);
  return answered ?? named;
}

/** Was it granted, and then revoked? Whose it was stays written down. */
const wasGranted = ({ binding }: PaymentRow): boolean => binding !== null;

/** It is not back yet. The row stays, or the transaction would be nobody's when it is. */
async function putBack(ctx: AppContext, reserved: PaymentRow, granted_at: number): Promise<void> {
  await move(ctx.db, reserved, { state: "revoked", granted_at });
}

/** Errors: `payment_pending` while somebody else's look is under way; `payment_already_used`. */
async function hold(ctx: AppContext, presented: Presentation, holder: PaymentRow | undefined): Promise<PaymentRow> {
  const { caller, offer, chain, txHash, terms } = presented;
  const now = ctx.clock.now();
  const principal = principalOf(caller);
  const lease_until = now + LEASE_MS;
  if (holder !== undefined) {
    const isSame = holder.resource === offer.resource && holder.principal === principal;
    if (wasGranted(holder) && !isSame) throw fail("payment_already_used");
    if (holder.state === "verifying" && holder.lease_until > now) throw beingVerified();
    // Left behind by a crash, or taken away when its block was gone, and perhaps back by now.
    const change = isSame
      ? ({ state: "verifying", lease_until, granted_at: null, due_at: null } as const)
      : ({ state: "refused", reason: "abandoned" } as const);
    if (!(await move(ctx.db, holder, change))) throw beingVerified();
    if (isSame) return { ...holder, ...change };
  }
  try {
    const reservation = {
      chain: chain.kind,
      chain_id: chain.chainId,
      tx_hash: txHash,
      resource: offer.resource,
      principal,
      lease_until,
      currency: terms.asset.currency,
      recipient: terms.recipient,
      price: terms.amount.toString(),
      created_at: now,
    };
    const row = await writeTogether(ctx, (ctx) => reserve(ctx.db, reservation));
    if (row !== null) return row;
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
  }
  throw beingVerified();
}

const beingVerified = () =>
  fail("payment_pending", {
    message: "This transaction is being looked at; send the same proof again.",
    retryAfter: 2,
  });

/** Of a refusal that tells something of a transaction that is there, a trace is kept for the operator. */
async function giveUp(ctx: AppContext, reserved: PaymentRow, error: unknown): Promise<void> {
  const code = error instanceof AppError ? error.code : "internal_error";
  const problem = error instanceof AppError ? problemOf(error) : null;
  const isPassing = code === "payment_pending" || code === "chain_unavailable" || code === "internal_error";
  if (isPassing || (code === "tx_not_found" && problem === null)) await release(ctx.db, reserved);
  else await move(ctx.db, reserved, { state: "refused", reason: problem ?? code });
}

function problemOf({ details }: AppError): string | null {
  return typeof details === "object" && details !== null && "problem" in details ? String(details.problem) : null;
}

async function grant(ctx: AppContext, presented: Presentation, reserved: PaymentRow, judged: Judged): Promise<Grant> {
  const { challenges, transfer, binding, blockHash } = judged;
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
    };
    // Somebody else took over because this took too long.
    if (!(await grantReserved(ctx.db, reserved, granted))) throw beingVerified();
    return { id: reserved.id, tx_hash: reserved.tx_hash, payer: transfer.sender, granted_at: now };
  });
}

/** Uses up the first of the demands that nobody has answered meanwhile; its id. null: there are none to be used up. */
async function useOneOf(ctx: AppContext, challenges: readonly ChallengeRow[], by: number): Promise<string | null> {
  if (challenges.length === 0) return null;
  for (const { payment_id } of challenges) if (await useChallenge(ctx.db, payment_id, by)) return payment_id;
  throw fail("payment_required", {
    message: "This demand was answered by another payment; this transaction has not been used.",
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

/**
 * Whose grant it is may have it again for a day: the account; or, of what is no account's, who shows again that he paid: by the payer's
 * signature, or, of a bare hash of a guest, by the id of the demand, which nobody else was told.
 */
async function mayFetchAgain(
  ctx: AppContext,
  { caller, offer, proof, chain }: Presentation,
  held: PaymentRow,
): Promise<boolean> {
  const until = (held.granted_at ?? 0) + PAYMENT_REPEAT_SECONDS * 1_000;
  if (held.resource !== offer.resource || ctx.clock.now() >= until) return false;
  const principal = principalOf(caller);
  if (principal !== GUEST_PRINCIPAL && held.principal === principal) return true;
  const { payer, payment_id, resource } = held;
  if (offer.isPersonal || payment_id === null || payer === null) return false;
  if (proof.signature !== null) return isPayersSignature(proof.signature, chain, payer, { payment_id, resource });
  return held.principal === GUEST_PRINCIPAL && held.binding === "none" && proof.paymentId === payment_id;
}
