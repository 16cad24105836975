import type {
  AccountClaimResponse,
  ClaimAccountBody,
  ClaimAccountResponse,
  ClaimBySignOnResponse,
  ImportsQuery,
  ImportsResponse,
  OldLinkResponse,
  UnclaimedPerson,
} from "@parley/protocol/imports";
import type { Http } from "../http.ts";
import { byOffset, type PagePromise } from "../page.ts";
import type { RequestOptions } from "../request-options.ts";

/**
 * Imports from other chats, and the accounts that they made for people (protocol §14). Every method throws `ParleyError`;
 * those of a link throw `claim_link_expired` or `account_suspended`, and a 429 at once, because a person is waiting.
 */
export class Imports {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /** Returns the imports, and page by page the people who have not claimed their accounts yet, for administrators. */
  list(query: ImportsQuery = {}, options?: RequestOptions): PagePromise<ImportsResponse, UnclaimedPerson> {
    const list = { items: ({ unclaimed }: ImportsResponse) => unclaimed, next: byOffset };
    return this.#http.pages("/api/admin/imports", query, list, options);
  }

  /** Returns where a link of the chat from which the team came leads now. Throws `message_not_found`. */
  oldLink(url: string, options?: RequestOptions): Promise<OldLinkResponse> {
    return this.#http.json({ method: "GET", path: "/api/old-link", query: { url } }, options);
  }

  /** Returns which account a link claims, without using it. */
  accountOfLink(token: string, options?: RequestOptions): Promise<AccountClaimResponse> {
    return this.#http.json({ method: "POST", path: "/api/auth/account-claim", body: { token }, noWait: true }, options);
  }

  /** Claims the account of a link with a new password, and logs in. */
  claimAccount(body: ClaimAccountBody, options?: RequestOptions): Promise<ClaimAccountResponse> {
    return this.#http.json({ method: "POST", path: "/api/auth/account-claim/password", body, noWait: true }, options);
  }

  /** Begins a login by the provider that claims the account of a link, in a browser. */
  claimBySignOn(token: string, options?: RequestOptions): Promise<ClaimBySignOnResponse> {
    const path = "/api/auth/account-claim/sign-on";
    return this.#http.json({ method: "POST", path, body: { token }, noWait: true }, options);
  }
}
