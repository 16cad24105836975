/**
 * The time that a test waits for an expected event, in milliseconds. It is generous, because it guards against hanging
 * and is not a promise of the product: steps that usually take milliseconds took eight seconds on a machine with ten
 * times more work than cores.
 */
export const PATIENCE_MS = 20_000;
