import { RATES } from "@parley/protocol/limits";
import { PAYMENT_HEADER_MAX, type PaymentDemand } from "@parley/protocol/payments";
import type { AppContext } from "../../context.ts";
import { type AppError, fail } from "../../errors.ts";
import type { Identity } from "../../http/identity.ts";
import { ownOrigin } from "../../http/origin.ts";
import { identitySubject, rateLimited } from "../../http/rates.ts";
import { exactEntry } from "../settle/exact-entry.ts";
import { type HeaderFormat, invalid, type Proof, parseProof, type SignedTransfer } from "../verify/payment-header.ts";
import type { Grant } from "../verify/presentation.ts";
import { type About, demandHeader, responseHeader } from "../verify/x402-headers.ts";
import { principalOf } from "./challenges.ts";
import type { Offer } from "./offers.ts";
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

/** Returns payment over HTTP: request headers carry the proof, response headers the outcome (protocol §7). */
export function payOverHttp(call: HttpCall): Pay {
  const { ctx, caller, request, headers } = call;
  if (ctx.config.value === "off") return takesNone;
  return async (offer) => {
    // HEAD changes nothing (protocol §7): it neither uses up a proof nor stores a demand.
    if (request.method === "HEAD") throw fail("payment_required", { message: "Use GET to see what must be paid." });
    const text = proofText(request);
    let format = formatFor(ctx, request);
    let proof: Proof | SignedTransfer | null = null;
    const about = aboutOf(ctx, offer, request);
    const subject = identitySubject(caller, call);
    if (caller.kind === "guest") headers.set("cache-control", "no-store");
    try {
      proof = text === null ? null : await takeProof(ctx, text, subject);
      if (proof?.format === "x402") format = "x402";
      const grant = await requirePayment(ctx, { caller, subject }, offer, proof);
      const { tx_hash: txHash, refetchToken } = grant;
      const response = { txHash, verified: true, ...(refetchToken === undefined ? {} : { refetchToken }) };
      headers.set("payment-response", responseHeader(response, format, { ...about, payer: grant.payer, reason: null }));
      return grant;
    } catch (error) {
      if (!(error instanceof Unpaid)) throw error;
      const demand = error.demand && { ...error.demand, x402Url: x402Url(ctx, request) };
      throw refusalOf(ctx, new Unpaid(error.refusal, demand), format, { about, proof });
    }
  };
}

/**
 * Returns the proof that a request carries. Errors: `invalid_payment_signature` for the header of x402 version 1, whose clients
 * would otherwise be asked to pay again.
 */
function proofText(request: Request): string | null {
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
 * Returns payment over a socket: the command carries the proof as text, as the header would; the error says how to pay.
 */
export function payOnSocket(ctx: AppContext, caller: Identity, text: string | null): Pay {
  if (ctx.config.value === "off") return takesNone;
  return async (offer) => {
    try {
      const subject = principalOf(caller);
      const proof = text === null ? null : await takeProof(ctx, text, subject);
      return await requirePayment(ctx, { caller, subject }, offer, proof);
    } catch (error) {
      if (!(error instanceof Unpaid)) throw error;
      throw clientError(error.refusal, error.demand, {});
    }
  };
}

/** Errors: `rate_limited`, `invalid_payment_signature`. */
async function takeProof(ctx: AppContext, text: string, subject: string): Promise<Proof | SignedTransfer> {
  const decision = await ctx.limiter.take(RATES.payment, subject);
  if (!decision.allowed) throw rateLimited(decision);
  return parseProof(text);
}

function refusalOf(
  ctx: AppContext,
  { refusal, demand }: Unpaid,
  format: HeaderFormat,
  { about, proof }: { about: About; proof: Proof | SignedTransfer | null },
): AppError {
  const headers: Record<string, string> = {};
  if (demand !== null) {
    const x402 = { error: refusal.message, exact: exactEntry(ctx, demand) };
    headers["payment-required"] = demandHeader(demand, format, about, x402);
  }
  // The transaction of a signed transfer, if any, is unknown here; x402 writes that as an empty text.
  const txHash = proof === null ? null : "txHash" in proof ? proof.txHash : "";
  if (txHash !== null && (txHash === "" || isHeaderText(txHash))) {
    const response = { txHash, verified: false };
    headers["payment-response"] = responseHeader(response, format, { ...about, payer: null, reason: refusal.code });
  }
  return clientError(refusal, demand, headers);
}

/** Returns whether the text sent is safe to echo in a header. */
const isHeaderText = (text: string): boolean => text.length <= PAYMENT_HEADER_MAX && /^[\x21-\x7e]+$/.test(text);

function clientError(refusal: AppError, demand: PaymentDemand | null, headers: Record<string, string>): AppError {
  return fail(refusal.code, {
    message: refusal.message,
    details: refusal.details,
    headers,
    cause: refusal,
    ...(refusal.retryAfter === undefined ? {} : { retryAfter: refusal.retryAfter }),
    ...(demand === null ? {} : { payment: demand }),
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
