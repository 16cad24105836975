import { createHash, timingSafeEqual } from "node:crypto";
import { PAYMENT_REPEAT_SECONDS } from "@parley/protocol/payments";
import { settlePayment } from "../../budgets/payments.ts";
import type { Transfer } from "../../chains/chain.ts";
import type { AppContext } from "../../context.ts";
import { type ChallengeRow, findChallenge, GUEST_PRINCIPAL } from "../offers/challenges.store.ts";
import { principalOf } from "../offers/challenges.ts";
import { type PaymentRow, storeGrant, storeRefetchHash } from "../payments.store.ts";
import { type Binding, isPayersSignature } from "./binding.ts";
import type { TransactionPayment } from "./verify.ts";

/** A grant that a payment bought, now or before. */
export type Grant = Pick<PaymentRow, "id" | "tx_hash" | "payer"> & {
  readonly granted_at: number;
  /** A token to fetch the same content again; only in the first response. */
  readonly refetchToken?: string;
};

export const grantOf = ({ id, tx_hash, payer, granted_at }: PaymentRow): Grant => ({
  id,
  tx_hash,
  payer,
  granted_at: granted_at ?? 0,
});

/** When the block of a grant is checked again. */
const RECHECK_MS = 3 * 60_000;

/** On what grounds a payment is granted. */
interface Grounds {
  readonly transfer: Transfer;
  readonly binding: Binding;
  readonly blockHash: string | null;
  /** The challenge that it uses up; null: none. */
  readonly challenge: Pick<ChallengeRow, "payment_id" | "amount" | "price"> | null;
  readonly refetchHash: string | null;
}

/**
 * Stores a payment as granted and counts it in the payer's budgets, in the caller's transaction, which has taken the
 * receipt and the challenge. Returns null if the payment has changed since it was read: another caller has taken over.
 */
export async function grantPayment(
  ctx: AppContext,
  payment: PaymentRow,
  { transfer, binding, blockHash, challenge, refetchHash }: Grounds,
): Promise<Grant | null> {
  const now = ctx.clock.now();
  const granted = {
    payment_id: challenge?.payment_id ?? null,
    currency: transfer.asset.currency,
    recipient: transfer.recipient,
    amount: transfer.amount.toString(),
    payer: transfer.sender,
    binding,
    block_hash: blockHash,
    granted_at: now,
    due_at: now + RECHECK_MS,
    refetch_hash: refetchHash,
  };
  if (!(await storeGrant(ctx.db, payment, granted))) return null;
  // A budget counts the price without the tail that tells payers apart.
  const amount = challenge?.amount === granted.amount ? challenge.price : granted.amount;
  await settlePayment(ctx, { ...payment, ...granted, amount });
  return grantOf({ ...payment, ...granted });
}

const TOKEN_BYTES = 32;

/** Returns a new random token to fetch a grant's content again, and its hash, which is stored. */
export function newRefetchToken({ clock }: Pick<AppContext, "clock">): {
  readonly token: string;
  readonly hash: string;
} {
  const token = Buffer.from(clock.random(TOKEN_BYTES)).toString("base64url");
  return { token, hash: hashOf(token) };
}

const hashOf = (token: string): string => createHash("sha256").update(token).digest("hex");

/** Adds a token to the grant if none was issued yet: a payment may be granted while its payer waits for no response. */
export async function withToken(ctx: AppContext, grant: Grant): Promise<Grant> {
  const { token, hash } = newRefetchToken(ctx);
  return (await storeRefetchHash(ctx.db, grant.id, hash)) ? { ...grant, refetchToken: token } : grant;
}

/**
 * Returns whether the caller may fetch again, for a day, what a payment has bought (protocol §7): the account that has
 * paid, the holder of the refetch token, a caller with the payer's signature, or the guest who shows the challenge's id,
 * if no transaction carries it.
 */
export async function mayFetchAgain(
  ctx: AppContext,
  { caller, offer, proof, chain }: TransactionPayment,
  granted: PaymentRow,
): Promise<boolean> {
  const until = (granted.granted_at ?? 0) + PAYMENT_REPEAT_SECONDS * 1_000;
  if (granted.resource !== offer.resource || ctx.clock.now() >= until) return false;
  const principal = principalOf(caller);
  if (principal !== GUEST_PRINCIPAL && granted.principal === principal) return true;
  if (offer.isPersonal) return false;
  if (proof.refetchToken !== null) return isToken(proof.refetchToken, granted.refetch_hash);
  const { payer, payment_id, resource, binding } = granted;
  if (payment_id === null || payer === null) return false;
  if (proof.signature !== null) return isPayersSignature(proof.signature, chain, payer, { payment_id, resource });
  const isGuests = granted.principal === GUEST_PRINCIPAL && (binding === "amount" || binding === "none");
  if (!isGuests || proof.paymentId !== payment_id) return false;
  return (await findChallenge(ctx.db, payment_id))?.revealed_at === null;
}

function isToken(token: string, hash: string | null): boolean {
  return hash !== null && timingSafeEqual(Buffer.from(hashOf(token)), Buffer.from(hash));
}
