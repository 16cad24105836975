/** The errors of polls (protocol §13.7), a part of `ERRORS`. */
export const POLL_ERRORS = {
  invalid_poll: [
    400,
    "A poll has a question of 1 to 300 characters and 2 to 10 different options of 1 to 100 characters, each on one line. details says what is wrong.",
  ],
  unknown_option: [400, "This poll has no such option. details says which ones it has."],
  one_option_only: [400, "In this poll you can choose only one option."],
  poll_not_found: [404, "This poll does not exist."],
  poll_closed: [409, "This poll is closed."],
} as const;
