/** Limits of polls (protocol §13.7): characters in code points, counts, seconds. */
export const POLL_QUESTION_MAX = 300;
export const POLL_OPTION_MAX = 100;
export const POLL_OPTIONS_MIN = 2;
export const POLL_OPTIONS_MAX = 10;
/** The most voters that an option names. */
export const POLL_VOTERS_SHOWN = 20;
/** How long a poll may be open: from a minute to 30 days. */
export const POLL_SECONDS_MIN = 60;
export const POLL_SECONDS_MAX = 30 * 86_400;
