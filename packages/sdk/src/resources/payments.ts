import type { ChainsResponse } from "@parley/protocol/chains";
import type {
  PaidBody,
  PaidListResponse,
  PaidRemovedResponse,
  PaidResource,
  PaidResponse,
  PaymentRecord,
  PaymentsQuery,
  PaymentsResponse,
  PaymentTotal,
  PaymentTotalsResponse,
} from "@parley/protocol/payments";
import type { Http } from "../http.ts";
import { newIdempotencyKey } from "../idempotency-key.ts";
import { byId, type PagePromise } from "../page.ts";
import type { PaymentWallet, PayOptions } from "../payments.ts";
import type { CreateOptions, RequestOptions } from "../request-options.ts";

/** Payments and paid resources (protocol §7). Every method but `fetch` throws `ParleyError`. */
export class Payments {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /** Lists the chains and assets for red packets and prices, with the decimals of each. */
  chains(options?: RequestOptions): Promise<ChainsResponse> {
    return this.#http.json({ method: "GET", path: "/api/chains" }, options);
  }

  /** Fetches a path of this server as this caller, and pays for it if required. See `payAndFetch`. */
  async fetch(path: string, wallet: PaymentWallet, options: PayOptions): Promise<Response> {
    // Clients that pay for nothing, such as the page, need not load it.
    const { payAndFetch } = await import("../payments.ts");
    const headers = { ...this.#http.credentials(), ...options.headers };
    return payAndFetch(this.#http.url + path, wallet, { ...options, headers });
  }

  /** Lists paid resources; for administrators. */
  resources(options?: RequestOptions): PagePromise<PaidListResponse, PaidResource> {
    const list = { items: ({ resources }: PaidListResponse) => resources };
    return this.#http.pages("/api/admin/paid", {}, list, options);
  }

  /** Adds a paid resource, once; for administrators. */
  sell(body: PaidBody, options: CreateOptions = {}): Promise<PaidResponse> {
    const headers = { "idempotency-key": options.idempotencyKey ?? newIdempotencyKey() };
    return this.#http.json({ method: "POST", path: "/api/admin/paid", body, headers, idempotent: true }, options);
  }

  /** Removes a paid resource; for administrators. */
  unsell(slug: string, options?: RequestOptions): Promise<PaidRemovedResponse> {
    return this.#http.json({ method: "DELETE", path: `/api/admin/paid/${encodeURIComponent(slug)}` }, options);
  }

  /** Lists payments, newest first; for administrators. */
  list(query: PaymentsQuery = {}, options?: RequestOptions): PagePromise<PaymentsResponse, PaymentRecord> {
    const list = { items: ({ payments }: PaymentsResponse) => payments, next: byId };
    return this.#http.pages("/api/admin/payments", query, list, options);
  }

  /** Returns the sums received, by asset and wallet; for administrators. */
  totals(options?: RequestOptions): PagePromise<PaymentTotalsResponse, PaymentTotal> {
    const list = { items: ({ totals }: PaymentTotalsResponse) => totals };
    return this.#http.pages("/api/admin/payments/totals", {}, list, options);
  }
}
