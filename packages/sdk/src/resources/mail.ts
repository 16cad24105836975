import type { MadeInvitationResponse } from "@parley/protocol/invitations";
import type {
  ConfirmAddressResponse,
  ConfirmationMailResponse,
  ForgotPasswordResponse,
  MailInvitationBody,
} from "@parley/protocol/mail";
import type { MailHealthResponse, OwnMailResponse } from "@parley/protocol/own-mail";
import type { Http } from "../http.ts";
import type { RequestOptions } from "../request-options.ts";

/** Mails of the server (protocol §17). Every method throws `ParleyError`; `mail_off` where the server sends none. */
export class Mail {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /** Returns the user's address, and whether mails reach it. */
  own(options?: RequestOptions): Promise<OwnMailResponse> {
    return this.#http.json({ method: "GET", path: "/api/mail" }, options);
  }

  /** Returns how many mails wait and how many failed, for administrators. */
  health(options?: RequestOptions): Promise<MailHealthResponse> {
    return this.#http.json({ method: "GET", path: "/api/admin/mail" }, options);
  }

  /** Ends the digests of the user whose mails have this token. Needs no login. Errors: `unsubscribe_unknown`. */
  async unsubscribe(token: string, options?: RequestOptions): Promise<void> {
    await this.#http.bytes({ method: "POST", path: `/mail/unsubscribe/${encodeURIComponent(token)}` }, options);
  }

  /** Confirms an address with the token of a link. Errors: `confirm_link_expired`, `address_in_use`. */
  confirm(token: string, options?: RequestOptions): Promise<ConfirmAddressResponse> {
    return this.#http.json(
      { method: "POST", path: "/api/auth/confirm-address", body: { token }, noWait: true },
      options,
    );
  }

  /** Asks for another mail that confirms the user's address. Errors: `no_address`, `address_confirmed`. */
  askForConfirmation(options?: RequestOptions): Promise<ConfirmationMailResponse> {
    return this.#http.json({ method: "POST", path: "/api/auth/confirmation-mail", noWait: true }, options);
  }

  /** Asks for a mail with a link to choose a new password. `account`: a username or a confirmed address. */
  forgotPassword(account: string, options?: RequestOptions): Promise<ForgotPasswordResponse> {
    return this.#http.json({ method: "POST", path: "/api/auth/forgot", body: { account }, noWait: true }, options);
  }

  /** Makes an invitation and mails it, for administrators. */
  invite(body: MailInvitationBody, options?: RequestOptions): Promise<MadeInvitationResponse> {
    return this.#http.json({ method: "POST", path: "/api/invitations/mail", body }, options);
  }
}
