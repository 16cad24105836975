/** Figures of a run, printed as one line of JSON. */
export type Figures = Record<string, number | string>;

/**
 * An experiment with a cluster under faults. Continuous integration runs it with `short`; `npm run faults -- <name>`
 * runs it with `long`, or with other values of the same names.
 */
export interface Scenario<P extends Record<string, number>> {
  readonly name: string;
  /** The promise of the cluster, as the title of its test. */
  readonly title: string;
  readonly short: P;
  readonly long: P;
  /** Returns why this machine cannot cause the fault; null if it can. */
  readonly problem?: () => string | null;
  /** Returns the figures; throws if a promise is broken. `say` gets the progress of a long run. */
  run(parameters: P, say: (text: string) => void): Promise<Figures>;
}

/** Returns the p-th percentile (0 to 100) of the values, rounded to a hundredth; 0 if there are none. */
export function percentile(values: readonly number[], p: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.min(sorted.length - 1, Math.floor((p / 100) * sorted.length))] ?? 0;
  return Math.round(value * 100) / 100;
}
