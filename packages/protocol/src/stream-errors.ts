import { HERE_ERRORS } from "./here.ts";
import { REMINDER_ERRORS } from "./reminder-errors.ts";
import { SCHEDULED_ERRORS } from "./scheduled-errors.ts";

/**
 * The errors of messages that grow, are sent later or call everybody, of reminders, and of agents' sessions, a part of
 * `ERRORS` (errors.ts, protocol §5, §12.7, §13.6, §13.7, §16.4).
 */
export const STREAM_ERRORS = {
  ...SCHEDULED_ERRORS,
  ...REMINDER_ERRORS,
  ...HERE_ERRORS,
  stream_not_found: [404, "This stream does not exist."],
  stream_limit_reached: [
    409,
    "An agent may have one open stream in a thread, one in a channel outside of threads, and five in all. Finish or cancel one first.",
  ],
  session_limit_reached: [409, "An agent may have 100 open sessions. End one first: set its state to done or failed."],
  stream_over: [409, "This stream has ended. details says how."],
  offset_mismatch: [409, "The delta does not continue the text held so far. details.length is the next offset."],
} as const;
