import type { AppContext } from "../../context.ts";
import { isUniqueViolation } from "../../db/database.ts";
import { writeTogether } from "../../db/group-commit.ts";
import { AppError, fail } from "../../errors.ts";
import { principalOf } from "../offers/challenges.ts";
import { move, type PaymentRow, release, reserve } from "../payments.store.ts";
import type { Presentation } from "./presentation.ts";

/** Longer than the chain may take to answer (10 s); after a crash a reservation expires after this time. */
export const LEASE_MS = 20_000;

/** True while another presentation checks the transaction. */
export const isBusy = (ctx: AppContext, { state, lease_until }: PaymentRow): boolean =>
  state === "verifying" && lease_until > ctx.clock.now();

const isSame = ({ caller, offer }: Presentation, holder: PaymentRow): boolean =>
  holder.resource === offer.resource && holder.principal === principalOf(caller);

/** Returns whether it was granted before and then revoked; the row keeps the owner. */
export const wasGranted = ({ binding }: PaymentRow): boolean => binding !== null;

/**
 * Marks the payment as revoked again, because its transaction has not returned to the chain. The row must stay, or the transaction would lose its
 * owner.
 */
export async function restoreRevoked(ctx: AppContext, reserved: PaymentRow, granted_at: number): Promise<void> {
  await move(ctx.db, reserved, { state: "revoked", granted_at });
}

/**
 * Reserves the transaction. Errors: `payment_pending` while another presentation is being checked, unless this one
 * `outranks` it; `payment_already_used`.
 */
export async function hold(
  ctx: AppContext,
  presented: Presentation,
  holder: PaymentRow | undefined,
  outranks: boolean,
): Promise<PaymentRow> {
  const { caller, offer, chain, txHash, quote } = presented;
  const now = ctx.clock.now();
  const principal = principalOf(caller);
  const lease_until = now + LEASE_MS;
  if (holder !== undefined) {
    const isTheirs = isSame(presented, holder);
    if (wasGranted(holder) && !isTheirs) throw fail("payment_already_used");
    if (isBusy(ctx, holder) && !outranks) throw verificationPending();
    // Left by a crash, or revoked when its block was removed, and perhaps back by now.
    const change = isTheirs
      ? ({ state: "verifying", lease_until, granted_at: null, due_at: null } as const)
      : ({ state: "refused", reason: "abandoned" } as const);
    if (!(await move(ctx.db, holder, change))) throw verificationPending();
    if (isTheirs) return { ...holder, ...change };
  }
  try {
    const reservation = {
      chain: chain.kind,
      chain_id: chain.chainId,
      tx_hash: txHash,
      resource: offer.resource,
      principal,
      lease_until,
      currency: quote.asset.currency,
      recipient: quote.recipient,
      price: quote.amount.toString(),
      created_at: now,
    };
    const row = await writeTogether(ctx, (ctx) => reserve(ctx.db, reservation));
    if (row !== null) return row;
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
  }
  throw verificationPending();
}

export const verificationPending = () =>
  fail("payment_pending", {
    message: "This transaction is being checked. Send the same proof again shortly.",
    retryAfter: 2,
  });

/**
 * Keeps a refusal for the operator if it says something about a transaction that exists; else releases the reservation.
 */
export async function recordRefusal(ctx: AppContext, reserved: PaymentRow, error: unknown): Promise<void> {
  const code = error instanceof AppError ? error.code : "internal_error";
  const problem = error instanceof AppError ? problemOf(error) : null;
  const isPassing = code === "payment_pending" || code === "chain_unavailable" || code === "internal_error";
  if (isPassing || (code === "tx_not_found" && problem === null)) await release(ctx.db, reserved);
  else await move(ctx.db, reserved, { state: "refused", reason: problem ?? code });
}

function problemOf({ details }: AppError): string | null {
  return typeof details === "object" && details !== null && "problem" in details ? String(details.problem) : null;
}
