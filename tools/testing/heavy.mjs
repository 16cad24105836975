/** Why a test file takes more than 10 s of a processor. */
export const REASONS = {};
