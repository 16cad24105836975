import type { PaymentRequirements } from "@parley/protocol/x402";
import type { Authorization, Authorizations, Chain } from "../../chains/chain.ts";
import type { AppContext } from "../../context.ts";
import { isUniqueViolation } from "../../db/database.ts";
import { AppError, fail } from "../../errors.ts";
import { withoutAct } from "../../http/acts/act.ts";
import type { Identity } from "../../http/identity.ts";
import { patienceOf } from "../../timing.ts";
import { type ChallengeRow, GUEST_PRINCIPAL } from "../offers/challenges.store.ts";
import { challengeRecord, principalOf } from "../offers/challenges.ts";
import type { Offer } from "../offers/offers.ts";
import { type Grant, withToken } from "../pay/grant.ts";
import { invalid, type SignedAuthorization } from "../pay/headers.ts";
import {
  exactRequirements,
  expectTimely,
  isUnlearned,
  learnDomains,
  matchingAuthorization,
  unusable,
} from "./exact.ts";
import { askToSettle, askToVerify, type FacilitatorRequest, inFacilitatorTurn } from "./facilitator.ts";
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

/** Blocks that a reorganisation may remove between reading the chain and the settlement. */
const REORGANISED = 64;
/** How long a request waits for the transfer to become final: wallets of x402 ask once. */
const WAIT_MS = 8_000;
const DAY_MS = 24 * 3_600_000;

/** An authorization that a caller sends as payment for an offer. */
export interface AuthorizationPayment {
  readonly caller: Identity;
  readonly offer: Offer;
  readonly chain: Chain;
  /** The challenge that it names, which was made for the caller. */
  readonly challenge: ChallengeRow | undefined;
  readonly signed: SignedAuthorization;
}

/** The payment after its checks: what to settle, and for what. */
interface Checked {
  readonly authorizations: Authorizations;
  readonly offer: Offer;
  readonly principal: string;
  readonly challenge: ChallengeRow;
  readonly authorization: Authorization;
  readonly name: AuthorizationName;
  readonly request: FacilitatorRequest;
}

/**
 * Has the facilitator settle an authorization and grants what it pays for. The steps are reserve, approve, settle, find
 * on the chain and grant; each is stored before the next. Once the facilitator has been asked to settle, only the chain
 * decides the outcome. Despite crashes or a lying facilitator, one authorization is granted once, when its transfer is
 * final, to the caller who reserved it: when they send it again, or by `recheckSettlements`.
 * Errors: those of `matchingAuthorization` and `expectTimely`, `payment_required`, `payment_pending`, `payment_already_used`,
 * `chain_unavailable`, `overloaded`.
 */
export async function payByAuthorization(ctx: AppContext, payment: AuthorizationPayment): Promise<Grant> {
  const checked = await check(ctx, payment);
  const granted = await withAuthorization(ctx, checked.name, () => settleNext(ctx, checked));
  return withToken(ctx, granted);
}

/** Checks the authorization and its signature against the challenge. */
async function check(ctx: AppContext, payment: AuthorizationPayment): Promise<Checked> {
  const { caller, offer, chain, challenge, signed } = payment;
  const record = challenge === undefined ? null : challengeRecord(challenge, chain);
  if (record !== null && isUnlearned(ctx, record)) {
    await learnDomains(ctx);
    if (isUnlearned(ctx, record)) throw fail("chain_unavailable", { retryAfter: 5 });
  }
  const required = record === null ? null : exactRequirements(ctx, record);
  const { authorizations } = chain;
  if (challenge === undefined || required === null || authorizations === undefined) {
    throw invalid("Signed transfers are not accepted for this. Pay on the chain and send the transaction hash.");
  }
  const authorization = matchingAuthorization(signed, required, offer.resource, chain);
  // A guest is recognised by the challenge's id, and the nonce is public with the transfer.
  if (challenge.principal === GUEST_PRINCIPAL && authorization.nonce === challenge.payment_id) {
    throw invalid("The nonce must not be the paymentId, because it is public on the chain. Choose a random nonce.");
  }
  const { name, version } = required.extra;
  const signer = await authorizations.signerOf(required.asset, { name, version }, authorization, signed.signature);
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
      token_address: required.asset,
      authorizer: authorization.from,
      nonce: authorization.nonce,
    },
    request: requestFor(signed, required),
  };
}

/** Builds the request from checked fields only, so that the facilitator receives nothing unchecked. */
function requestFor(
  { authorization, signature }: SignedAuthorization,
  required: PaymentRequirements,
): FacilitatorRequest {
  const paymentPayload = { x402Version: 2, accepted: required, payload: { authorization, signature } };
  return { x402Version: 2, paymentPayload, paymentRequirements: required };
}

/** The steps of one payment, which continues where an earlier one with this authorization stopped. */
async function settleNext(ctx: AppContext, checked: Checked): Promise<Grant> {
  const found = await findSettlement(ctx.db, checked.name);
  if (found !== undefined && found.state !== "refused") {
    if (!isTheirs(checked, found)) throw fail("payment_already_used");
    const before = found.state === "granted" ? await grantedBefore(ctx, found) : null;
    if (before !== null) {
      if (ctx.clock.now() < before.granted_at + DAY_MS) return before;
      throw fail("payment_already_used");
    }
  }
  const held = await reserve(ctx, checked, found);
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
 * Returns true for the same challenge from the same account; for a guest, from anyone who knows the challenge's id,
 * which only that guest received.
 */
function isTheirs({ offer, principal, challenge }: Checked, found: SettlementRow): boolean {
  if (found.payment_id !== challenge.payment_id) return false;
  return found.principal === principal || (found.principal === GUEST_PRINCIPAL && !offer.isPersonal);
}

/** Reserves the authorization, or takes it over after a crash. Errors: `payment_pending`, `payment_required`. */
async function reserve(ctx: AppContext, checked: Checked, found: SettlementRow | undefined): Promise<Held> {
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
 * Approves and settles the authorization, in one turn of the payer; null if it needs neither.
 * Errors: those of `approve`, and `overloaded` before it was approved.
 */
async function throughFacilitator(ctx: AppContext, checked: Checked, held: Held) {
  const { state } = held.row;
  if (state !== "reserved" && state !== "settling") return null;
  const payer = { owner: checked.principal, isGuest: false };
  const guest = { owner: checked.authorization.from, isGuest: true };
  try {
    return await inFacilitatorTurn(ctx, checked.principal === GUEST_PRINCIPAL ? guest : payer, async () => {
      if (state === "reserved") await approve(ctx, checked, held);
      return settle(withoutAct(ctx), checked);
    });
  } catch (error) {
    // An earlier request had it settled, so it may have moved money: only the chain knows.
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
async function approve(ctx: AppContext, { authorizations, request }: Checked, held: Held): Promise<void> {
  const { isUsed, height } = await authorizations.lookAt(keyOf(held.row));
  if (isUsed) throw fail("payment_already_used");
  const { isAccepted, reason } = await askToVerify(ctx, request);
  if (!isAccepted) throw unusable("authorization_refused", reason);
  await step(ctx, held, {
    state: "settling",
    from_height: Math.max(0, height - REORGANISED),
    due_at: ctx.clock.now() + DUE_MS,
  });
}

/** Asks the facilitator to settle, again after a crash. Safe to repeat: the token accepts an authorization once. */
async function settle(ctx: AppContext, { authorization, request }: Checked) {
  try {
    expectTimely(authorization, ctx.clock.now());
  } catch (error) {
    if (error instanceof AppError) return null; // too late to settle; it may have been settled before
    throw error;
  }
  try {
    const { isAccepted, reason, transaction } = await askToSettle(ctx, request);
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
