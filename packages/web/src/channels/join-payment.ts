import type { Channel } from "@parley/protocol/models";
import type { PaymentDemand } from "@parley/protocol/payments";
import type { Price } from "@parley/protocol/price";
import { ParleyError, type UserClient } from "@parley/sdk";
import { errorDetail } from "../i18n/error-message.ts";
import { readStored, writeStored } from "../state/local-storage.ts";
import { pause } from "../state/pause.ts";
import { Store } from "../state/store.ts";

/**
 * The progress of a payment for a place in a channel. `asked`: the server has quoted a payment. `checking`: it is
 * verifying the transaction; `word`: its latest answer. `paid`: the transaction is known but not being verified; the
 * error that ended the check is shown elsewhere.
 */
export type Progress =
  | { step: "price" }
  | { step: "asked"; demand: PaymentDemand }
  | { step: "checking"; txHash: string; word: Waiting | null }
  | { step: "paid"; txHash: string }
  | { step: "refused"; txHash: string; why: Refusal };

/** Codes after which the same transaction may still be accepted. */
const WAITING = ["payment_pending", "tx_not_found", "chain_unavailable", "unreachable"] as const;
export type Waiting = (typeof WAITING)[number];

/** Reasons to refuse a transaction: the codes of protocol §7, or the `problem` in the details. */
export const REFUSALS = [
  "tx_failed",
  "wrong_recipient",
  "wrong_currency",
  "amount_too_low",
  "payment_already_used",
  "not_yours",
  "invalid_payment_signature",
  "too_old",
  "not_bound",
  "unknown_payment_id",
  "challenge_used",
  "no_challenge",
] as const;
export type Refusal = (typeof REFUSALS)[number];

/**
 * The part of the demand that this browser stores until the user has joined, so that closing the page loses no payment.
 */
interface StoredPayment {
  demand: PaymentDemand;
  txHash: string | null;
}

/** After these, the demand itself is unusable. */
const DEMAND_GONE: ReadonlySet<Refusal> = new Set(["unknown_payment_id", "challenge_used", "no_challenge"]);
/** Nothing was decided: the server was unreachable or overloaded. */
const UNREACHABLE = new Set<string>([
  "network_error",
  "timeout",
  "rate_limited",
  "overloaded",
  "draining",
  "not_ready",
]);
const POLL_MS = 3_000;
/** An unpaid demand is kept for this long after it expires, because paying by hand takes time. */
const DEMAND_KEPT_MS = 24 * 3_600_000;

/** One user's payment for a place in one channel. */
export class JoinPayment {
  readonly progress: Store<Progress>;
  readonly #client: UserClient;
  readonly #channelId: number;
  readonly #name: string;
  readonly #joined: (channel: Channel) => void;
  #stored: StoredPayment | null;
  #looking: AbortController | null = null;

  constructor(client: UserClient, self: string, channelId: number, joined: (channel: Channel) => void) {
    this.#client = client;
    this.#channelId = channelId;
    this.#joined = joined;
    this.#name = `place.${self}.${channelId}`;
    this.#stored = readPayment(this.#name);
    this.progress = new Store<Progress>(this.#before());
  }

  /**
   * Requests the payment demand; null if the user has joined already, also because they need not pay. Throws
   * `ParleyError`. Reuses a demand that has not expired, so that a payment begun by hand is not lost.
   */
  async ask(password?: string): Promise<PaymentDemand | null> {
    if (this.#stored !== null && Date.parse(this.#stored.demand.expiresAt) > Date.now())
      return this.#show(this.#stored.demand);
    try {
      this.#enter((await this.#client.channels.join(this.#channelId, { password })).channel);
      return null;
    } catch (error) {
      if (!(error instanceof ParleyError) || error.payment === undefined) throw error;
      this.#store({ demand: error.payment, txHash: null });
      return this.#show(error.payment);
    }
  }

  /** Stores the transaction, which survives closing the page; call `prove` next. */
  paid(txHash: string): void {
    if (this.#stored !== null) this.#store({ ...this.#stored, txHash });
    this.progress.set({ step: "paid", txHash });
  }

  /**
   * Submits the transaction until the user has joined, it is refused, or `end` is called. Throws `ParleyError` if the
   * server gives no answer about it.
   */
  async prove(password?: string): Promise<void> {
    const txHash = this.#stored?.txHash;
    if (this.#stored === null || txHash == null || this.#looking !== null) return;
    const { paymentId } = this.#stored.demand;
    const looking = new AbortController();
    this.#looking = looking;
    const { signal } = looking;
    this.progress.set({ step: "checking", txHash, word: null });
    try {
      while (!signal.aborted) {
        const waitMs = await this.#present(txHash, paymentId, password, signal);
        if (waitMs === null) return;
        await pause(waitMs, signal);
      }
    } catch (error) {
      if (!signal.aborted) this.progress.set({ step: "paid", txHash });
      throw error;
    } finally {
      if (this.#looking === looking) this.#looking = null;
    }
  }

  /** Lets the user name another transaction or pay. Keeps the demand, because a transaction must not be older than it. */
  startAnew(): void {
    this.end();
    const now = this.progress.get();
    const isGone = now.step === "refused" && DEMAND_GONE.has(now.why);
    this.#store(this.#stored === null || isGone ? null : { ...this.#stored, txHash: null });
    this.progress.set(this.#before());
  }

  /** Discards the demand and returns to the current price. */
  forget(): void {
    this.end();
    this.#store(null);
    this.progress.set({ step: "price" });
  }

  /** Stops submitting; a stored payment stays stored. */
  end(): void {
    this.#looking?.abort();
    this.#looking = null;
  }

  /** Returns the milliseconds until the next attempt; null: it is decided. Throws `ParleyError`. */
  async #present(
    txHash: string,
    paymentId: string,
    password: string | undefined,
    signal: AbortSignal,
  ): Promise<number | null> {
    try {
      const proof = { txHash, paymentId };
      this.#enter((await this.#client.channels.join(this.#channelId, { password, proof })).channel);
      return null;
    } catch (error) {
      if (signal.aborted) return null;
      if (!(error instanceof ParleyError)) throw error;
      const why = refusalIn(error);
      if (why !== null) {
        this.progress.set({ step: "refused", txHash, why });
        return null;
      }
      const word = waitingIn(error);
      if (word === null) throw error;
      this.progress.set({ step: "checking", txHash, word });
      return (error.retryAfter ?? 0) * 1_000 || POLL_MS;
    }
  }

  #enter(channel: Channel): void {
    this.#store(null);
    this.#joined(channel);
  }

  #show(demand: PaymentDemand): PaymentDemand {
    this.progress.set({ step: "asked", demand });
    return demand;
  }

  #store(stored: StoredPayment | null): void {
    this.#stored = stored;
    writeStored(this.#name, stored === null ? null : JSON.stringify(stored));
  }

  #before(): Progress {
    if (this.#stored === null) return { step: "price" };
    const { txHash, demand } = this.#stored;
    if (txHash !== null) return { step: "paid", txHash };
    const isOld = Date.parse(demand.expiresAt) + DEMAND_KEPT_MS < Date.now();
    return isOld ? { step: "price" } : { step: "asked", demand };
  }
}

/** Ignores an older page's format: the user can still name the transaction. */
function readPayment(name: string): StoredPayment | null {
  try {
    const stored = JSON.parse(readStored(name) ?? "null") as Partial<StoredPayment> | null;
    const { paymentId, expiresAt } = stored?.demand ?? {};
    if (stored?.demand === undefined || typeof paymentId !== "string" || typeof expiresAt !== "string") return null;
    return { demand: stored.demand, txHash: typeof stored.txHash === "string" ? stored.txHash : null };
  } catch {
    return null;
  }
}

/** True if the demand matches the price shown, so that users never pay a price they have not seen. */
export function isAsShown(demand: PaymentDemand, shown: Price): boolean {
  const { amount, currency, chain_id } = priceOf(demand);
  return amount === shown.amount && currency === shown.currency && chain_id === shown.chain_id;
}

/** Returns the price behind a demand; the amount of a demand has extra digits. A demand stored by an older page has no price. */
export const priceOf = ({ price, amount, currency, chainId }: PaymentDemand): Price => ({
  amount: (price as string | undefined) ?? amount,
  currency,
  chain_id: chainId,
});

function refusalIn(error: ParleyError): Refusal | null {
  const problem = errorDetail(error, "problem");
  return REFUSALS.find((known) => known === problem) ?? REFUSALS.find((known) => known === error.code) ?? null;
}

function waitingIn({ code }: ParleyError): Waiting | null {
  if (UNREACHABLE.has(code)) return "unreachable";
  return WAITING.find((known) => known === code) ?? null;
}
