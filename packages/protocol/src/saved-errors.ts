/** Errors of saved and forwarded messages (protocol §13.14, §13.15), a part of `ERRORS`. */
export const SAVED_ERRORS = {
  saved_limit_reached: [409, "You have saved 1,000 messages. Remove one first."],
  cannot_forward: [409, "This kind of message cannot be forwarded. Only text and files can."],
  forward_not_editable: [409, "A forwarded message cannot be changed. Delete it and forward again."],
} as const;
