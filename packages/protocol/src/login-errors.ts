/** The errors of reset links, of links that claim an account, and of logins by a provider, a part of `ERRORS` (errors.ts, protocol §13.0, §13.9, §14.5). */
export const LOGIN_ERRORS = {
  reset_link_expired: [
    410,
    "This link has expired, was used, or was replaced by a newer one. Ask an administrator for another.",
  ],
  claim_link_expired: [
    410,
    "This link has expired, was used, or was replaced by a newer one. Ask an administrator for another.",
  ],
  password_login_off: [403, "Logging in with a password is switched off here. Use the other way to log in."],
  // The codes of failed logins by the provider are in the address of the page: `/?error=<code>`.
  oidc_disabled: [404, "This server has no OpenID Connect provider."],
  oidc_denied: [403, "The provider did not let you in, or the login was cancelled."],
  oidc_failed: [503, "The login by the provider did not work. Try again shortly."],
  domain_not_allowed: [403, "Only people with a verified email address of certain domains can log in here."],
  signup_closed: [403, "There is no account for this login yet. Ask the administrators for one."],
  identity_taken: [409, "This account of the provider is linked to another user."],
  identity_not_found: [404, "This linked login does not exist."],
  last_login_method: [409, "This is the only way to log in to your account. Add another one first."],
  invalid_logout_token: [400, "The logout token is not valid."],
} as const;
