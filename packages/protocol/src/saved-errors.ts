/** Errors of saved messages (protocol §13.14), a part of `ERRORS`. */
export const SAVED_ERRORS = {
  saved_limit_reached: [409, "You have saved 1,000 messages. Remove one first."],
} as const;
