/**
 * How long a test waits for an expected event, in milliseconds: a guard against hanging and not a promise of the
 * product, so it is generous. What usually takes milliseconds took eight seconds on a machine with ten times more work
 * than cores.
 */
export const PATIENCE_MS = 20_000;
