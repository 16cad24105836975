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

/** Payments and what is sold (protocol §7). Every method but `fetch` throws `ParleyError`. */
export class PaymentCalls {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /** What red packets and prices can be in, with the digits of each coin and token. */
  chains(): Promise<ChainsAnswer> {
    return this.#http.json({ method: "GET", path: "/api/chains" });
  }

  /** Fetches a path of this server as this caller, paying for it when that is demanded. See `payAndFetch`. */
  fetch(path: string, wallet: PaymentWallet, options: PayOptions): Promise<Response> {
    const headers = { ...this.#http.credentials(), ...options.headers };
    return payAndFetch(this.#http.url + path, wallet, { ...options, headers });
  }

  /** What is sold; administrators. */
  resources(): Promise<PaidListAnswer> {
    return this.#http.json({ method: "GET", path: "/api/admin/paid" });
  }

  /** Puts something up for sale, once; administrators. */
  sell(body: PaidBody): Promise<PaidAnswer> {
    const headers = { "idempotency-key": newKey() };
    return this.#http.json({ method: "POST", path: "/api/admin/paid", body, headers, repeatable: true });
  }

  /** Takes something off sale; administrators. */
  unsell(slug: string): Promise<PaidRemovedAnswer> {
    return this.#http.json({ method: "DELETE", path: `/api/admin/paid/${encodeURIComponent(slug)}` });
  }

  /** Payments, the newest first; administrators. */
  list(query: PaymentsQuery = {}): Promise<PaymentsAnswer> {
    return this.#http.json({ method: "GET", path: "/api/admin/payments", query });
  }

  /** What came in, by asset and wallet; administrators. */
  totals(): Promise<PaymentTotalsAnswer> {
    return this.#http.json({ method: "GET", path: "/api/admin/payments/totals" });
  }
}
