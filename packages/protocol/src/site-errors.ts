import { INVITATION_ERRORS } from "./invitation-errors.ts";

/** Errors of the site's settings (protocol §10) and of invitations to it, a part of `ERRORS`. */
export const SITE_ERRORS = {
  ...INVITATION_ERRORS,
  invalid_logo: [400, "The logo must be a PNG, JPEG or WebP of at most 512 × 512 pixels, as base64."],
  setting_locked: [409, "The environment of the server sets this. details says by which variable."],
  site_changed: [409, "Somebody else has changed the settings meanwhile. Read them again."],
  logo_too_large: [413, "The logo must not exceed 128 KiB."],
} as const;
