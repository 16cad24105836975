/** Errors of scheduled messages (protocol §13.6), a part of `ERRORS`. */
export const SCHEDULED_ERRORS = {
  invalid_send_at: [400, "send_at must be a time from 10 seconds to 365 days ahead."],
  scheduled_not_found: [404, "You have no scheduled message with this id."],
  scheduled_limit_reached: [409, "You have 100 scheduled messages that wait. Cancel one first."],
  scheduled_over: [409, "This message has been sent, has failed or was cancelled. It cannot be changed any more."],
} as const;
