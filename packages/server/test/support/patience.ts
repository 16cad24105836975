/**
 * The time that a test waits for an expected event, in milliseconds. It is generous, because it guards against hanging
 * and is not a promise of the product: steps that usually take milliseconds took eight seconds on a machine with ten
 * times more work than cores. It is less than the time that `npm test` gives a test, so that the failure names what did
 * not happen.
 */
export const PATIENCE_MS = 50_000;
