import { POLL_ERRORS } from "./poll-errors.ts";
import { SAVED_ERRORS } from "./saved-errors.ts";
import { SCHEDULED_ERRORS } from "./scheduled-errors.ts";

/** The errors of features with a file of their own, a part of `ERRORS` (errors.ts). */
export const FEATURE_ERRORS = {
  ...SCHEDULED_ERRORS,
  ...SAVED_ERRORS,
  ...POLL_ERRORS,
} as const;
