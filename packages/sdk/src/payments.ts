import {
  type PaymentDemand,
  PaymentDemand as PaymentDemandSchema,
  type PaymentProof,
  paymentMessage,
} from "@parley/protocol/payments";
import { isAborted, pause } from "./backoff.ts";
import { isErrorBody, ParleyError } from "./errors.ts";
import type { RequestOptions } from "./request-options.ts";

/** The payment requested from a wallet. */
export type Payment = Pick<
  PaymentDemand,
  "chain" | "chainId" | "tokenAddress" | "currency" | "decimals" | "recipient" | "paymentId"
> & { readonly amount: bigint };

/**
 * A wallet, which you implement with a library of your choice (examples/paying-agent uses viem). It holds the key; this
 * package does not.
 */
export interface PaymentWallet {
  readonly address: string;
  /**
   * Sends the transfer from `address` and returns its hash, or on Solana its signature. Return at once: `payAndFetch`
   * waits for confirmation, and if the hash is lost, so is the money. Only a stock x402 client (`PayThenProve`)
   * presents the hash a single time and needs it in a block by then: poll for the receipt at intervals, not on each new
   * block, which a quiet chain may never produce.
   */
  pay(payment: Payment): Promise<string>;
  /** Signs a text: EIP-191 (`personal_sign`) on EVM chains, ed25519 in base58 on Solana. */
  sign(text: string): Promise<string>;
}

/**
 * The spending limit: one asset, identified by its address rather than by a server's name for it, and a maximum amount.
 */
export interface SpendingCap {
  readonly chainId: number;
  /** The token's contract or mint; null: the native coin. */
  readonly tokenAddress: string | null;
  /** In the smallest unit. */
  readonly maxAmount: bigint;
}

/** `timeoutMs` limits the start of each response, `maxRetries` how often the proof is sent again. Default: no limits. */
export interface PayOptions extends SpendingCap, RequestOptions {
  readonly method?: "GET" | "POST";
  /**
   * A string (as JSON, unless a header says otherwise), bytes, a Blob, FormData and URLSearchParams are sent as they are.
   * Any other value is encoded as JSON.
   */
  readonly body?: unknown;
  /** How long to wait for a payment to be accepted. Default: half an hour, the finality of some chains. */
  readonly settlementTimeoutMs?: number;
  /** The proof of an earlier payment whose response was lost: `PaymentIncomplete.proof`. */
  readonly proof?: PaymentProof;
  readonly fetch?: typeof fetch;
}

/** The price exceeds the cap; nothing was paid. */
export class OverSpendingCap extends Error {
  override readonly name = "OverSpendingCap";
  readonly demand: PaymentDemand;
  constructor(demand: PaymentDemand) {
    super(
      `${demand.price} of ${demand.tokenAddress ?? "the native coin"} on chain ${demand.chainId} is not within the cap`,
    );
    this.demand = demand;
  }
}

/**
 * The payment was made, but the resource was not delivered. Pass `proof` to the next call instead of paying again; a
 * server honors it for a day.
 */
export class PaymentIncomplete extends Error {
  override readonly name = "PaymentIncomplete";
  readonly proof: PaymentProof;
  constructor(proof: PaymentProof, cause: unknown) {
    super(`paid with ${proof.txHash}, but the resource has not come: ${String(cause)}`, { cause });
    this.proof = proof;
  }
}

const SETTLEMENT_TIMEOUT_MS = 30 * 60_000;
const POLL_MS = 2_000;
/** True for errors after which the same proof may still succeed. */
const isTemporary = ({ code, status, retryable }: ParleyError): boolean =>
  retryable || status >= 500 || code === "tx_not_found";

/**
 * Fetches a resource, and pays for it once if the server requires it (protocol §7). The wallet signs that the payment
 * is its own, so that nobody who sees the transaction can use it. If nothing was paid, returns the server's answer,
 * whatever its status.
 * @throws OverSpendingCap, PaymentIncomplete
 */
export async function payAndFetch(url: string, wallet: PaymentWallet, options: PayOptions): Promise<Response> {
  let { proof } = options;
  if (proof === undefined) {
    const first = await send(url, options, null);
    const demand = first.status === 402 ? await demandIn(first) : null;
    if (demand === null) return first;
    proof = await prove(wallet, { ...demand, amount: amountWithin(demand, options) });
  }
  return redeem(url, options, proof);
}

/** Sends the proof until it is accepted or finally refused. */
async function redeem(url: string, options: PayOptions, proof: PaymentProof): Promise<Response> {
  const until = performance.now() + (options.settlementTimeoutMs ?? SETTLEMENT_TIMEOUT_MS);
  for (let tries = 0; ; tries += 1) {
    let problem: unknown;
    let waitMs = POLL_MS;
    try {
      const response = await send(url, options, proof);
      if (response.ok) return response;
      const error = await errorIn(response);
      if (!isTemporary(error)) throw new PaymentIncomplete(proof, error);
      problem = error;
      waitMs = (error.retryAfter ?? 0) * 1_000 || POLL_MS;
    } catch (error) {
      if (error instanceof PaymentIncomplete) throw error;
      if (isAborted(options.signal)) throw new PaymentIncomplete(proof, error);
      problem = error; // The response was lost; the same proof fetches it again
    }
    const isLast = tries >= (options.maxRetries ?? Number.POSITIVE_INFINITY);
    if (isLast || performance.now() + waitMs > until) throw new PaymentIncomplete(proof, problem);
    await pause(waitMs, options.signal);
  }
}

/**
 * Makes the requested payment and signs for it. The signed text is built here: a text chosen by a server could be
 * anything.
 * @throws Error if the demand is malformed; nothing was signed or paid then
 */
export async function prove(
  wallet: PaymentWallet,
  demand: Omit<PaymentDemand, "messageToSign" | "expiresAt" | "price">,
) {
  const { chain, chainId, tokenAddress, currency, decimals, recipient, paymentId, resource, amount } = demand;
  if (!/^[A-Za-z0-9]{32,88}$/.test(paymentId) || !/^\/[\x21-\x7e]*$/.test(resource)) {
    throw new Error("The demand is malformed; nothing was paid.");
  }
  // First the step that can fail without cost.
  const signature = await wallet.sign(paymentMessage(paymentId, resource));
  const payment = { chain, chainId, tokenAddress, currency, decimals, recipient, paymentId, amount: BigInt(amount) };
  const txHash = await wallet.pay(payment);
  return { txHash, paymentId, payer: wallet.address, signature } satisfies PaymentProof;
}

/**
 * Returns the amount to pay: the demand's unique amount, so that nobody can claim the transfer before the signature
 * arrives; if the cap leaves no room for that, the bare price, which suffices with the signature. @throws
 * OverSpendingCap
 */
function amountWithin(demand: PaymentDemand, { chainId, tokenAddress, maxAmount }: SpendingCap): string {
  const { amount, price } = demand;
  const isAsset = demand.chainId === chainId && sameAddress(demand.tokenAddress, tokenAddress);
  if (!isAsset || BigInt(price) > maxAmount) throw new OverSpendingCap(demand);
  return BigInt(amount) > maxAmount ? price : amount;
}

/** EVM addresses are case-insensitive; Solana's are not. */
const sameAddress = (a: string | null, b: string | null): boolean =>
  a === b || (a !== null && b !== null && a.startsWith("0x") && a.toLowerCase() === b.toLowerCase());

async function send(url: string, options: PayOptions, proof: PaymentProof | null): Promise<Response> {
  const { method = "GET", body, signal, timeoutMs, fetch: run = fetch } = options;
  const headers = new Headers(options.headers);
  if (proof !== null) headers.set("payment-signature", JSON.stringify(proof));
  const sent = encodedBody(body);
  if (typeof sent === "string" && !headers.has("content-type")) headers.set("content-type", "application/json");
  const timeout = new AbortController();
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => timeout.abort(), timeoutMs);
  try {
    return await run(url, {
      method,
      headers,
      redirect: "error",
      signal: signal === undefined ? timeout.signal : AbortSignal.any([signal, timeout.signal]),
      ...(sent === undefined ? {} : { body: sent }),
    });
  } catch (cause) {
    if (isAborted(signal) || !timeout.signal.aborted) throw cause;
    throw new ParleyError("timeout", `${method} ${url}: no response in time.`, { cause });
  } finally {
    clearTimeout(timer);
  }
}

/** Returns what `fetch` sends. It must be possible to send it again, after the payment; a stream cannot be. */
function encodedBody(body: unknown): RequestInit["body"] {
  if (body instanceof ReadableStream) throw new TypeError("A stream cannot be sent again after the payment.");
  const isEncoded =
    typeof body === "string" ||
    body instanceof ArrayBuffer ||
    ArrayBuffer.isView(body) ||
    body instanceof Blob ||
    body instanceof FormData ||
    body instanceof URLSearchParams;
  return isEncoded ? (body as RequestInit["body"]) : JSON.stringify(body);
}

/** Returns the demand in a 402's body; null if it is not a Parley server's. The response stays readable. */
async function demandIn(response: Response): Promise<PaymentDemand | null> {
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null);
  const demand = isErrorBody(body) ? body.payment : undefined;
  const names = PaymentDemandSchema.required.filter((name) => name !== "price");
  if (demand === undefined || !names.every((name) => name in demand)) return null;
  // Older servers ask for the bare price.
  return "price" in demand ? demand : { ...(demand as PaymentDemand), price: (demand as PaymentDemand).amount };
}

async function errorIn(response: Response): Promise<ParleyError> {
  const body: unknown = await response.json().catch(() => null);
  if (isErrorBody(body)) return ParleyError.fromBody(body, response.status);
  return new ParleyError("invalid_answer", `Status ${response.status}.`, { status: response.status });
}
