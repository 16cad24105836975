/** The errors of second factors and passkeys, a part of `ERRORS` (errors.ts, protocol §13.9). */
export const FACTOR_ERRORS = {
  second_factor_required: [
    401,
    "Confirm this login with your second factor: POST /api/auth/second-factor with details.challenge_id and a code.",
  ],
  second_factor_setup_required: [403, "This server requires a second factor. Set one up first."],
  wrong_code: [403, "The code is wrong, has expired, or was used before."],
  totp_enabled: [409, "An authenticator app is already set up. Remove it first."],
  totp_not_enabled: [409, "No authenticator app is set up."],
  totp_setup_expired: [410, "No set-up of an authenticator app is waiting for its first code. Begin again."],
  passkey_not_found: [404, "This passkey does not exist."],
  passkey_rejected: [403, "The passkey is not known here, or could not be verified."],
  passkey_exists: [409, "This passkey is already registered."],
  passkey_limit_reached: [409, "You have the maximum number of passkeys. Remove one first."],
  passkeys_unavailable: [
    409,
    "Passkeys need a server whose public URL is https with a host name; without a public URL, only localhost has them.",
  ],
} as const;
