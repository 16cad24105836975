import type {
  ConfirmAddressBody,
  ConfirmAddressResponse,
  ConfirmationMailResponse,
  ForgotPasswordBody,
  ForgotPasswordResponse,
  MailInvitationBody,
  MailInvitationResponse,
} from "@parley/protocol/mail";
import type { MailHealthResponse, OwnMailResponse } from "@parley/protocol/own-mail";
import type { Http } from "../http.ts";
import type { RequestOptions } from "../request-options.ts";

/** Addresses and mails (protocol §17). Every method throws `ParleyError`. */
export class Mail {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /** Returns the user's address, and whether mails reach it. */
  own(options?: RequestOptions): Promise<OwnMailResponse> {
    return this.#http.json({ method: "GET", path: "/api/mail" }, options);
  }

  /** Asks for a mail with a link that confirms the user's address. */
  sendConfirmation(options?: RequestOptions): Promise<ConfirmationMailResponse> {
    return this.#http.json({ method: "POST", path: "/api/auth/confirmation-mail" }, options);
  }

  /** Confirms an address with the token of a link. Needs no login. */
  confirmAddress(body: ConfirmAddressBody, options?: RequestOptions): Promise<ConfirmAddressResponse> {
    return this.#http.json({ method: "POST", path: "/api/auth/confirm-address", body }, options);
  }

  /** Asks for a mail with a link to choose a new password. The answer is the same whether there is such an account or not. */
  forgotPassword(body: ForgotPasswordBody, options?: RequestOptions): Promise<ForgotPasswordResponse> {
    return this.#http.json({ method: "POST", path: "/api/auth/forgot", body }, options);
  }

  /** Makes an invitation and mails it to an address, for administrators. */
  invite(body: MailInvitationBody, options?: RequestOptions): Promise<MailInvitationResponse> {
    return this.#http.json({ method: "POST", path: "/api/invitations/mail", body, idempotent: true }, options);
  }

  /** Returns how many mails wait and how many failed, for administrators. */
  health(options?: RequestOptions): Promise<MailHealthResponse> {
    return this.#http.json({ method: "GET", path: "/api/admin/mail" }, options);
  }

  /** Ends the digests of the user whose mails have this token. Needs no login. */
  async unsubscribe(token: string, options?: RequestOptions): Promise<void> {
    await this.#http.bytes({ method: "POST", path: `/mail/unsubscribe/${encodeURIComponent(token)}` }, options);
  }
}
