import { RATES } from "@parley/protocol/limits";
import { PAYMENT_HEADER_MAX, type PaymentDemand } from "@parley/protocol/payments";
import type { AppContext } from "../../context.ts";
import { type AppError, fail } from "../../errors.ts";
import type { Identity } from "../../http/identity.ts";
import { ownOrigin } from "../../http/origin.ts";
import { identitySubject, rateLimited } from "../../http/rates.ts";
import { principalOf } from "../offers/challenges.ts";
import type { Offer } from "../offers/offers.ts";
import { exactRequirements } from "../settle/exact.ts";
import type { Grant } from "./grant.ts";
import {
  type About,
  type HeaderFormat,
  invalid,
  type PaymentPayload,
  parsePayload,
  requiredHeader,
  responseHeader,
} from "./headers.ts";
import { requirePayment, Unpaid } from "./require-payment.ts";

/** Resolves once the offer is paid for; throws the refusal for the caller, with how to pay. */
export type Pay = (offer: Offer) => Promise<Grant>;

/** How a server without value takes payments (`PARLEY_VALUE=off`). */
const takesNone: Pay = () => Promise.reject(fail("payments_not_configured"));

/** The parts of an HTTP call that payment needs. */
interface HttpCall {
  readonly ctx: AppContext;
  readonly caller: Identity;
  readonly address: string;
  readonly request: Request;
  readonly headers: Headers;
}

/** Returns payment over HTTP: a request header carries the payload, response headers the outcome (protocol §7). */
export function payOverHttp(call: HttpCall): Pay {
  const { ctx, caller, request, headers } = call;
  if (ctx.config.value === "off") return takesNone;
  return async (offer) => {
    // HEAD changes nothing (protocol §7): it neither takes a payload nor stores a challenge.
    if (request.method === "HEAD") throw fail("payment_required", { message: "Use GET to see what must be paid." });
    const text = payloadText(request);
    let format = formatFor(ctx, request);
    let payload: PaymentPayload | null = null;
    const about = aboutOf(ctx, offer, request);
    const subject = identitySubject(caller, call);
    if (caller.kind === "guest") headers.set("cache-control", "no-store");
    try {
      payload = text === null ? null : await takePayload(ctx, text, subject);
      if (payload?.format === "x402") format = "x402";
      const grant = await requirePayment(ctx, { caller, subject }, offer, payload);
      const { tx_hash: txHash, refetchToken } = grant;
      const response = { txHash, verified: true, ...(refetchToken === undefined ? {} : { refetchToken }) };
      headers.set("payment-response", responseHeader(response, format, { ...about, payer: grant.payer, reason: null }));
      return grant;
    } catch (error) {
      if (!(error instanceof Unpaid)) throw error;
      const challenge = error.challenge && { ...error.challenge, x402Url: x402Url(ctx, request) };
      throw refusalOf(ctx, new Unpaid(error.refusal, challenge), format, { about, payload });
    }
  };
}

/**
 * Returns the payload that a request carries. Errors: `invalid_payment_signature` for the header of x402 version 1, whose clients
 * would otherwise be asked to pay again.
 */
function payloadText(request: Request): string | null {
  const text = request.headers.get("payment-signature");
  if (text === null && request.headers.has("x-payment"))
    throw invalid("X-PAYMENT is of version 1 of x402. Use a client of version 2, which sends PAYMENT-SIGNATURE.");
  return text;
}

/** Returns the form in which the caller expects the headers: the query decides before the header and the settings. */
function formatFor(ctx: AppContext, request: Request): HeaderFormat {
  const asked = URL.parse(request.url, "http://unnamed")?.searchParams.get("x402")?.toLowerCase();
  if (asked !== undefined) return asked === "true" || asked === "1" ? "x402" : "plain";
  return request.headers.get("x402-version") === "2" || ctx.config.x402Default ? "x402" : "plain";
}

/** Returns the address of the same request for clients of x402. */
function x402Url(ctx: AppContext, request: Request): string {
  const { pathname, searchParams } = new URL(request.url, "http://unnamed");
  searchParams.set("x402", "true");
  return `${ownOrigin(ctx.config, request)}${pathname}?${searchParams}`;
}

/**
 * Returns payment over a socket: the command carries the payload as text, as the header would; the error says how to
 * pay.
 */
export function payOnSocket(ctx: AppContext, caller: Identity, text: string | null): Pay {
  if (ctx.config.value === "off") return takesNone;
  return async (offer) => {
    try {
      const subject = principalOf(caller);
      const payload = text === null ? null : await takePayload(ctx, text, subject);
      return await requirePayment(ctx, { caller, subject }, offer, payload);
    } catch (error) {
      if (!(error instanceof Unpaid)) throw error;
      throw clientError(error.refusal, error.challenge, {});
    }
  };
}

/** Errors: `rate_limited`, `invalid_payment_signature`. */
async function takePayload(ctx: AppContext, text: string, subject: string): Promise<PaymentPayload> {
  const decision = await ctx.limiter.take(RATES.payment, subject);
  if (!decision.allowed) throw rateLimited(decision);
  return parsePayload(text);
}

function refusalOf(
  ctx: AppContext,
  { refusal, challenge }: Unpaid,
  format: HeaderFormat,
  { about, payload }: { about: About; payload: PaymentPayload | null },
): AppError {
  const headers: Record<string, string> = {};
  if (challenge !== null) {
    const x402 = { error: refusal.message, exact: exactRequirements(ctx, challenge) };
    headers["payment-required"] = requiredHeader(challenge, format, about, x402);
  }
  // The transaction that settles an authorization, if any, is unknown here; x402 writes that as an empty text.
  const txHash = payload === null ? null : "txHash" in payload ? payload.txHash : "";
  if (txHash !== null && (txHash === "" || isHeaderText(txHash))) {
    const response = { txHash, verified: false };
    headers["payment-response"] = responseHeader(response, format, { ...about, payer: null, reason: refusal.code });
  }
  return clientError(refusal, challenge, headers);
}

/** Returns whether the text sent is safe to echo in a header. */
const isHeaderText = (text: string): boolean => text.length <= PAYMENT_HEADER_MAX && /^[\x21-\x7e]+$/.test(text);

function clientError(refusal: AppError, challenge: PaymentDemand | null, headers: Record<string, string>): AppError {
  return fail(refusal.code, {
    message: refusal.message,
    details: refusal.details,
    headers,
    cause: refusal,
    ...(refusal.retryAfter === undefined ? {} : { retryAfter: refusal.retryAfter }),
    ...(challenge === null ? {} : { payment: challenge }),
  });
}

function aboutOf(ctx: AppContext, offer: Offer, request: Request): About & { network: string } {
  const origin = ownOrigin(ctx.config, request);
  return { url: `${origin}${offer.resource}`, description: offer.description, network: networkOf(ctx, offer) };
}

/** Returns the CAIP-2 name: the number of an EVM chain, or the first 32 letters of Solana's genesis hash. */
function networkOf(ctx: AppContext, { price }: Offer): string {
  const { solanaRpcUrls, solanaCluster } = ctx.config;
  const isSolana = solanaRpcUrls.length > 0 && solanaCluster.chainId === price.chain_id;
  return isSolana ? `solana:${solanaCluster.genesisHash.slice(0, 32)}` : `eip155:${price.chain_id}`;
}
