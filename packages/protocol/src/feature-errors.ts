import { EMOJI_ERRORS } from "./emoji-errors.ts";
import { HERE_ERRORS } from "./here.ts";
import { MAIL_ERRORS } from "./mail-errors.ts";
import { POLL_ERRORS } from "./poll-errors.ts";
import { PREVIEW_ERRORS } from "./previews.ts";
import { REMINDER_ERRORS } from "./reminder-errors.ts";
import { SAVED_ERRORS } from "./saved-errors.ts";
import { SCHEDULED_ERRORS } from "./scheduled-errors.ts";
import { VOICE_ERRORS } from "./voice-errors.ts";

/** The errors of features with a file of their own, a part of `ERRORS` (errors.ts). */
export const FEATURE_ERRORS = {
  ...PREVIEW_ERRORS,
  ...SCHEDULED_ERRORS,
  ...SAVED_ERRORS,
  ...POLL_ERRORS,
  ...REMINDER_ERRORS,
  ...HERE_ERRORS,
  ...EMOJI_ERRORS,
  ...VOICE_ERRORS,
  ...MAIL_ERRORS,
} as const;
