/** Median of the rounds and how far they lie apart. */
export interface Summary {
  median: number;
  min: number;
  max: number;
  /** (max - min) / median, in percent. */
  spreadPercent: number;
  rounds: number;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

export function summarize(values: readonly number[]): Summary {
  const min = Math.min(...values);
  const max = Math.max(...values);
  const middle = median(values);
  return {
    median: middle,
    min,
    max,
    spreadPercent: middle === 0 ? 0 : ((max - min) / middle) * 100,
    rounds: values.length,
  };
}
