/**
 * How long a test waits for what has to come, in milliseconds: a guard against hanging, no promise of the product, and so generous. What
 * takes milliseconds took eight seconds on a machine with ten times more to do than it has cores.
 */
export const PATIENCE_MS = 20_000;
