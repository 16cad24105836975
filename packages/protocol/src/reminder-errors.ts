/** Errors of reminders (protocol §13.16), a part of `ERRORS`. */
export const REMINDER_ERRORS = {
  invalid_remind_at: [400, "remind_at must be a time from 10 seconds to 365 days ahead."],
  reminder_not_found: [404, "You have no reminder with this id."],
  reminder_limit_reached: [409, "You have 100 reminders that wait. Delete one first."],
  reminder_over: [409, "This reminder has ended. It cannot be changed any more; make a new one."],
} as const;
