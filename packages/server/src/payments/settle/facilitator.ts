import { SettleResponse, VerifyResponse } from "@parley/protocol/x402";
import type { TSchema } from "typebox";
import { type SlotLimits, Slots, takeTurn } from "../../base/slots.ts";
import type { Config } from "../../config/config.ts";
import { type AppContext, perServer } from "../../context.ts";
import { fail } from "../../errors.ts";
import { slowly } from "../../http/acts/slow.ts";
import { expectShape } from "../../lookups/answers.ts";
import { type Api, fetchJson, LookupFailure } from "../../lookups/fetch-json.ts";
import { patienceOf } from "../../timing.ts";

/** Verifying only reads; settling takes until the transfer is in a block. */
const VERIFY_MS = 5_000;
const SETTLE_MS = 15_000;
const RETRY_AFTER = 5;

/**
 * Payers at a time: in all, by one account or wallet, and of guests. A payer waits for less than a reservation lasts,
 * with the requests that follow (`LEASE_MS`).
 */
const SLOTS: SlotLimits<"guests"> = { total: 16, perOwner: 4, shares: { guests: 12 }, waiting: 64, waitMs: 3_000 };

const slots = perServer(() => new Slots(SLOTS));

/** An account that pays, or the wallet of a guest. */
export interface Payer {
  readonly owner: string;
  readonly isGuest: boolean;
}

/**
 * Runs the requests of one payment when its payer has a slot. Settling needs no second one: what was approved must not
 * be refused.
 * @throws overloaded, before the facilitator was asked anything
 */
export function inFacilitatorTurn<T>(ctx: AppContext, { owner, isGuest }: Payer, act: () => Promise<T>): Promise<T> {
  return takeTurn(slots(ctx), { owner, shares: isGuest ? { guests: "" } : {} }, { retryAfter: RETRY_AFTER }, act);
}

/** A request to a facilitator: a wallet's payload, and what it has to meet. */
export interface FacilitatorRequest {
  readonly x402Version: 2;
  readonly paymentPayload: object;
  readonly paymentRequirements: object;
}

/** A facilitator's answer. It is only a claim; the chain decides. */
export interface FacilitatorAnswer {
  readonly isAccepted: boolean;
  /** Safe for a log and a header; null if it was missing or contained other characters. */
  readonly reason: string | null;
  /** The transaction it names; null: none. */
  readonly transaction: string | null;
}

/** Asks whether the facilitator would settle the authorization. Changes nothing. Errors: `chain_unavailable`. */
export async function askToVerify(ctx: AppContext, request: FacilitatorRequest): Promise<FacilitatorAnswer> {
  const { isValid, invalidReason } = await ask(ctx, "/verify", request, VerifyResponse, VERIFY_MS);
  return { isAccepted: isValid, reason: plain(invalidReason), transaction: null };
}

/** Has the facilitator settle the authorization. On an error it may have settled it anyway. Errors: `chain_unavailable`. */
export async function askToSettle(ctx: AppContext, request: FacilitatorRequest): Promise<FacilitatorAnswer> {
  const { success, errorReason, transaction } = await ask(ctx, "/settle", request, SettleResponse, SETTLE_MS);
  return { isAccepted: success, reason: plain(errorReason), transaction: transaction === "" ? null : transaction };
}

/** Sends a request limited in time and size, without redirects, through `fetchJson` like all lookups. */
async function ask<T extends TSchema>(ctx: AppContext, path: string, json: FacilitatorRequest, schema: T, ms: number) {
  const api = apiOf(ctx.config);
  if (api === null) throw fail("payments_not_configured");
  const request = { path: `${api.base}${path}`, json };
  try {
    const patience = { signal: AbortSignal.timeout(patienceOf(ctx, ms)), clock: ctx.clock };
    const { body } = await slowly(ctx, "request", () => fetchJson(api, request, patience));
    return expectShape(schema, body);
  } catch (error) {
    if (!(error instanceof LookupFailure)) throw error;
    ctx.log.warn({ api: api.name, path, reason: error.message }, "the facilitator did not respond");
    throw fail("chain_unavailable", { retryAfter: error.retryAfter ?? RETRY_AFTER });
  }
}

const plain = (text: string | null | undefined): string | null =>
  text != null && /^[A-Za-z0-9_.:-]{1,100}$/.test(text) ? text : null;

/** Returns the configured facilitator and the base path of its routes; null if there is none. */
export function apiOf({
  facilitatorUrl,
  facilitatorAuthorization,
}: Pick<Config, "facilitatorUrl" | "facilitatorAuthorization">): (Api & { readonly base: string }) | null {
  if (facilitatorUrl === null) return null;
  const { origin, pathname } = new URL(facilitatorUrl);
  const headers: Record<string, string> =
    facilitatorAuthorization === null ? {} : { authorization: facilitatorAuthorization };
  return { name: "x402 facilitator", origin, headers, base: pathname.replace(/\/$/, "") };
}
