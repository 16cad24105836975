import { createHash, timingSafeEqual } from "node:crypto";
import { PAYMENT_REPEAT_SECONDS } from "@parley/protocol/payments";
import type { AppContext } from "../../context.ts";
import { findChallenge, GUEST_PRINCIPAL } from "../offers/challenges.store.ts";
import { principalOf } from "../offers/challenges.ts";
import { type PaymentRow, storeRefetchHash } from "../payments.store.ts";
import { isPayersSignature } from "./payer-proof.ts";
import type { Grant, Presentation } from "./presentation.ts";

const TOKEN_BYTES = 32;

/** A token to fetch a grant's content again, and its hash, which is stored. */
export interface RefetchToken {
  readonly token: string;
  readonly hash: string;
}

/** Returns a new random token. */
export function newRefetchToken({ clock }: Pick<AppContext, "clock">): RefetchToken {
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
 * True if the caller may fetch again, for a day, what a payment has bought (protocol §7): the account that has paid,
 * the holder of the refetch token, a caller with the payer's signature, or the guest who shows the demand's id, if no
 * transaction carries it.
 */
export async function mayFetchAgain(ctx: AppContext, presented: Presentation, held: PaymentRow): Promise<boolean> {
  const { caller, offer, proof, chain } = presented;
  const until = (held.granted_at ?? 0) + PAYMENT_REPEAT_SECONDS * 1_000;
  if (held.resource !== offer.resource || ctx.clock.now() >= until) return false;
  const principal = principalOf(caller);
  if (principal !== GUEST_PRINCIPAL && held.principal === principal) return true;
  if (offer.isPersonal) return false;
  if (proof.refetchToken !== null) return isToken(proof.refetchToken, held.refetch_hash);
  const { payer, payment_id, resource } = held;
  if (payment_id === null || payer === null) return false;
  if (proof.signature !== null) return isPayersSignature(proof.signature, chain, payer, { payment_id, resource });
  return isOwnDemand(ctx, presented, held, payment_id);
}

function isToken(token: string, hash: string | null): boolean {
  return hash !== null && timingSafeEqual(Buffer.from(hashOf(token)), Buffer.from(hash));
}

async function isOwnDemand(
  ctx: AppContext,
  { proof }: Presentation,
  { principal, binding }: PaymentRow,
  paymentId: string,
): Promise<boolean> {
  const isGuests = principal === GUEST_PRINCIPAL && (binding === "amount" || binding === "none");
  if (!isGuests || proof.paymentId !== paymentId) return false;
  return (await findChallenge(ctx.db, paymentId))?.revealed_at === null;
}
