import { parseBudget } from "@parley/protocol/parse-budget";

/**
 * How much work the parser may do for one message: less than 50 ms on an ordinary computer, and twice what a
 * full message of ordinary Markdown needs. It is counted, not timed, so that every reader sees the same.
 */
export const STEPS_MAX = 30_000;

/** Returns the budget of one message. */
export const budget = () => parseBudget({ max: STEPS_MAX, spans: "!$&*<[\\]_~" });
