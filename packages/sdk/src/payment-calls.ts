import type { ChainsAnswer } from "@parley/protocol/chains";
import type {
  PaidAnswer,
  PaidBody,
  PaidListAnswer,
  PaidRemovedAnswer,
  PaymentsAnswer,
  PaymentsQuery,
  PaymentTotalsAnswer,
} from "@parley/protocol/payments";
import type { Http } from "./http.ts";
import { newKey } from "./keys.ts";
import { type PaymentWallet, type PayOptions, payAndFetch } from "./payments.ts";

/** Payments and paid resources (protocol §7). Every method but `fetch` throws `ParleyError`. */
export class PaymentCalls {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /** Lists the chains and assets for red packets and prices, with the decimals of each. */
  chains(): Promise<ChainsAnswer> {
    return this.#http.json({ method: "GET", path: "/api/chains" });
  }

  /** Fetches a path of this server as this caller, and pays for it if required. See `payAndFetch`. */
  fetch(path: string, wallet: PaymentWallet, options: PayOptions): Promise<Response> {
    const headers = { ...this.#http.credentials(), ...options.headers };
    return payAndFetch(this.#http.url + path, wallet, { ...options, headers });
  }

  /** Lists paid resources; for administrators. */
  resources(): Promise<PaidListAnswer> {
    return this.#http.json({ method: "GET", path: "/api/admin/paid" });
  }

  /** Adds a paid resource, once; for administrators. */
  sell(body: PaidBody): Promise<PaidAnswer> {
    const headers = { "idempotency-key": newKey() };
    return this.#http.json({ method: "POST", path: "/api/admin/paid", body, headers, repeatable: true });
  }

  /** Removes a paid resource; for administrators. */
  unsell(slug: string): Promise<PaidRemovedAnswer> {
    return this.#http.json({ method: "DELETE", path: `/api/admin/paid/${encodeURIComponent(slug)}` });
  }

  /** Lists payments, newest first; for administrators. */
  list(query: PaymentsQuery = {}): Promise<PaymentsAnswer> {
    return this.#http.json({ method: "GET", path: "/api/admin/payments", query });
  }

  /** Returns the sums received, by asset and wallet; for administrators. */
  totals(): Promise<PaymentTotalsAnswer> {
    return this.#http.json({ method: "GET", path: "/api/admin/payments/totals" });
  }
}
