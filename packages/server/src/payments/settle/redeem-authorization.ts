import type { AcceptedEntry } from "@parley/protocol/x402";
import type { Authorization, Authorizations, Chain } from "../../chains/chain.ts";
import type { AppContext } from "../../context.ts";
import { isUniqueViolation } from "../../db/database.ts";
import { AppError, fail } from "../../errors.ts";
import { withoutAct } from "../../http/acts/act.ts";
import type { Identity } from "../../http/identity.ts";
import { patienceOf } from "../../timing.ts";
import { type ChallengeRow, GUEST_PRINCIPAL } from "../offers/challenges.store.ts";
import { demandOf, principalOf } from "../offers/challenges.ts";
import type { Offer } from "../offers/offers.ts";
import { invalid, type SignedTransfer } from "../verify/payment-header.ts";
import type { Grant } from "../verify/presentation.ts";
import { withToken } from "../verify/refetch.ts";
import { exactEntry, isUnlearned, learnDomains } from "./exact-entry.ts";
import { expectTimely, signedFor, unusable } from "./exact-rules.ts";
import { inFacilitatorTurn, type Order, settleOrder, verifyOrder } from "./facilitator.ts";
import {
  conclude,
  DUE_MS,
  grantedBefore,
  type Held,
  keyOf,
  LEASE_MS,
  settlementPending,
  step,
  withAuthorization,
} from "./settle.ts";
import {
  type AuthorizationName,
  findSettlement,
  moveSettlement,
  releaseSettlement,
  reserveSettlement,
  type SettlementRow,
} from "./settlements.store.ts";

/** Blocks that a reorganisation may remove between reading the chain and the transfer. */
const REORGANISED = 64;
/** How long a request waits for the transfer to become final: wallets of x402 ask once. */
const WAIT_MS = 8_000;
const DAY_MS = 24 * 3_600_000;

/** A signed transfer that is presented as payment for something. */
export interface SignedPresentation {
  readonly caller: Identity;
  readonly offer: Offer;
  readonly chain: Chain;
  /** The demand it names; the presenter is the caller it was made of. */
  readonly challenge: ChallengeRow | undefined;
  readonly signed: SignedTransfer;
}

/** The presentation after its checks: what to settle, and for what. */
interface Checked {
  readonly authorizations: Authorizations;
  readonly offer: Offer;
  readonly principal: string;
  readonly challenge: ChallengeRow;
  readonly authorization: Authorization;
  readonly name: AuthorizationName;
  readonly order: Order;
}

/**
 * Has the facilitator settle a signed transfer and grants what it pays for. The steps are reserve, approve, settle,
 * find on the chain and grant; each is stored before the next. Once the facilitator has been asked to settle, only the
 * chain decides the outcome. Despite crashes or a lying facilitator, one authorization is granted once, when its
 * transfer is final, to the caller who reserved it: when they present it again, or by `recheckSettlements`.
 * Errors: those of `signedFor` and `expectTimely`, `payment_required`, `payment_pending`, `payment_already_used`,
 * `chain_unavailable`, `overloaded`.
 */
export async function redeemSigned(ctx: AppContext, presented: SignedPresentation): Promise<Grant> {
  const checked = await check(ctx, presented);
  const granted = await withAuthorization(ctx, checked.name, () => redeemNext(ctx, checked));
  return withToken(ctx, granted);
}

async function check(ctx: AppContext, presented: SignedPresentation): Promise<Checked> {
  const { caller, offer, chain, challenge, signed } = presented;
  const demand = challenge === undefined ? null : demandOf(challenge, chain);
  if (demand !== null && isUnlearned(ctx, demand)) {
    await learnDomains(ctx);
    if (isUnlearned(ctx, demand)) throw fail("chain_unavailable", { retryAfter: 5 });
  }
  const offered = demand === null ? null : exactEntry(ctx, demand);
  const { authorizations } = chain;
  if (challenge === undefined || offered === null || authorizations === undefined) {
    throw invalid("Signed transfers are not accepted for this. Pay on the chain and send the transaction hash.");
  }
  const authorization = signedFor(signed, offered, offer.resource, chain);
  // A guest is recognised by the demand's id, and the nonce is public with the transfer.
  if (challenge.principal === GUEST_PRINCIPAL && authorization.nonce === challenge.payment_id) {
    throw invalid("The nonce must not be the paymentId, because it is public on the chain. Choose a random nonce.");
  }
  const { name, version } = offered.extra;
  const signer = await authorizations.signerOf(offered.asset, { name, version }, authorization, signed.signature);
  if (signer !== authorization.from) {
    throw invalid("The signature was not made by the payer. Contract signatures (EIP-1271) are not supported.");
  }
  return {
    authorizations,
    offer,
    principal: principalOf(caller),
    challenge,
    authorization,
    name: {
      chain_id: chain.chainId,
      token_address: offered.asset,
      authorizer: authorization.from,
      nonce: authorization.nonce,
    },
    order: orderOf(signed, offered),
  };
}

/** Builds the order from checked fields only, so that the facilitator receives nothing unchecked. */
function orderOf({ authorization, signature }: SignedTransfer, offered: AcceptedEntry): Order {
  const paymentPayload = { x402Version: 2, accepted: offered, payload: { authorization, signature } };
  return { x402Version: 2, paymentPayload, paymentRequirements: offered };
}

async function redeemNext(ctx: AppContext, checked: Checked): Promise<Grant> {
  const found = await findSettlement(ctx.db, checked.name);
  if (found !== undefined && found.state !== "refused") {
    if (!isTheirs(checked, found)) throw fail("payment_already_used");
    const before = found.state === "granted" ? await grantedBefore(ctx, found) : null;
    if (before !== null) {
      if (ctx.clock.now() < before.granted_at + DAY_MS) return before;
      throw fail("payment_already_used");
    }
  }
  const held = await hold(ctx, checked, found);
  // Once it may have moved money, what happened is recorded, whatever becomes of the caller.
  const recording = withoutAct(ctx);
  try {
    const result = await throughFacilitator(ctx, checked, held);
    return await conclude(recording, held, { ...result, waitMs: patienceOf(ctx, WAIT_MS) });
  } catch (error) {
    throw await releaseAfterError(recording, held, error);
  }
}

/**
 * True for the same demand from the same account; for a guest, from anyone who knows the demand's id, which only that
 * guest received.
 */
function isTheirs({ offer, principal, challenge }: Checked, found: SettlementRow): boolean {
  if (found.payment_id !== challenge.payment_id) return false;
  return found.principal === principal || (found.principal === GUEST_PRINCIPAL && !offer.isPersonal);
}

/** Reserves the authorization, or takes it over after a crash. Errors: `payment_pending`, `payment_required`. */
async function hold(ctx: AppContext, checked: Checked, found: SettlementRow | undefined): Promise<Held> {
  const now = ctx.clock.now();
  if (found !== undefined && found.state !== "refused") {
    if (found.lease_until > now) throw settlementPending();
    const held: Held = { row: found };
    // It was granted, and its block was removed: its outcome is looked up again.
    await step(ctx, held, found.state === "granted" ? { state: "settling", tx_hash: null, due_at: now + DUE_MS } : {});
    return held;
  }
  const { challenge, authorization, name, principal } = checked;
  if (challenge.used_by !== null) throw unusable("challenge_used");
  if (challenge.expires_at <= now) throw unusable("challenge_expired");
  expectTimely(authorization, now);
  try {
    const row = await reserveSettlement(ctx.db, {
      ...name,
      resource: challenge.resource,
      principal,
      payment_id: challenge.payment_id,
      currency: challenge.currency,
      recipient: challenge.recipient,
      amount: challenge.price,
      valid_before: Number(authorization.validBefore) * 1_000,
      state: "reserved",
      lease_until: now + LEASE_MS,
      created_at: now,
      due_at: now + DUE_MS,
    });
    if (row !== null) return { row };
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
  }
  throw settlementPending();
}

/**
 * Approves and sends the order, in one turn of the payer; null if it needs neither.
 * Errors: those of `approve`, and `overloaded` before the order was approved.
 */
async function throughFacilitator(ctx: AppContext, checked: Checked, held: Held) {
  const { state } = held.row;
  if (state !== "reserved" && state !== "settling") return null;
  const payer = { owner: checked.principal, isGuest: false };
  const guest = { owner: checked.authorization.from, isGuest: true };
  try {
    return await inFacilitatorTurn(ctx, checked.principal === GUEST_PRINCIPAL ? guest : payer, async () => {
      if (state === "reserved") await approve(ctx, checked, held);
      return send(withoutAct(ctx), checked);
    });
  } catch (error) {
    // An earlier request sent it, so it may have moved money: only the chain knows.
    if (state === "settling" && error instanceof AppError && error.code === "overloaded")
      return { named: null, isSilent: true };
    throw error;
  }
}

/**
 * Asks the chain, then the facilitator, whether it can be settled at all. An authorization already used is another
 * payment, whatever the facilitator says.
 * Errors: `payment_already_used`, `payment_required`, `chain_unavailable`.
 */
async function approve(ctx: AppContext, { authorizations, order }: Checked, held: Held): Promise<void> {
  const { isUsed, height } = await authorizations.lookAt(keyOf(held.row));
  if (isUsed) throw fail("payment_already_used");
  const { isAccepted, reason } = await verifyOrder(ctx, order);
  if (!isAccepted) throw unusable("authorization_refused", reason);
  await step(ctx, held, {
    state: "settling",
    from_height: Math.max(0, height - REORGANISED),
    due_at: ctx.clock.now() + DUE_MS,
  });
}

/** Asks the facilitator to settle, again after a crash. Safe to repeat: the token accepts an authorization once. */
async function send(ctx: AppContext, { authorization, order }: Checked) {
  try {
    expectTimely(authorization, ctx.clock.now());
  } catch (error) {
    if (error instanceof AppError) return null; // too late to send; it may have been settled before
    throw error;
  }
  try {
    const { isAccepted, reason, transaction } = await settleOrder(ctx, order);
    if (!isAccepted) ctx.log.warn({ reason }, "the facilitator reports that it did not settle a payment");
    return { named: isAccepted ? transaction : null, isSilent: false };
  } catch (error) {
    if (error instanceof AppError) return { named: null, isSilent: true };
    throw error;
  }
}

/**
 * Frees the authorization for the next caller and returns the error to answer with. If the facilitator was not asked to
 * settle it, the reservation is released, or refused with the reason. If another caller has taken it over meanwhile,
 * the error is `payment_pending`, so that nobody is asked to pay again.
 */
async function releaseAfterError(ctx: AppContext, held: Held, error: unknown): Promise<unknown> {
  const { row } = held;
  const code = error instanceof AppError ? error.code : "internal_error";
  if (row.state !== "reserved") {
    if (row.state !== "refused") await moveSettlement(ctx.db, row, { lease_until: ctx.clock.now() });
  } else if (code === "payment_required" || code === "payment_already_used") {
    if (!(await moveSettlement(ctx.db, row, { state: "refused", reason: code, due_at: null })))
      return settlementPending();
  } else if (!(await releaseSettlement(ctx.db, row))) {
    return settlementPending();
  }
  return error;
}
