import { ParleyError } from "@parley/sdk";

/** The codes with which a login by the identity provider leads back to the page. Others could be put into any link. */
const CODES: ReadonlySet<string> = new Set([
  "oidc_disabled",
  "oidc_denied",
  "oidc_failed",
  "domain_not_allowed",
  "signup_closed",
  "account_suspended",
  "identity_taken",
  "session_required",
  "storage_unavailable",
]);

/** Why a login by the identity provider failed: the page was opened as `/?error=<code>`. */
export class LoginFailure {
  readonly error: ParleyError;

  constructor(code: string) {
    this.error = new ParleyError(CODES.has(code) ? code : "oidc_failed", code);
  }

  /** Returns the failure in the user's language. */
  text({ errorMessage }: { errorMessage(error: unknown): string }): string {
    return errorMessage(this.error);
  }

  /** Returns the failure in an address; null if there is none. */
  static in({ search }: Pick<Location, "search">): LoginFailure | null {
    const code = new URLSearchParams(search).get("error");
    return code === null ? null : new LoginFailure(code);
  }
}
