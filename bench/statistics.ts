/** The median of the rounds and their spread. */
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

/** Returns the value below which the given share of the values lies. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Returns the growth of a linear fit through evenly spaced values, from the first to the last. */
export function linearGrowth(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  let [over, under] = [0, 0];
  for (const [i, value] of values.entries()) {
    over += (i - middle) * (value - mean);
    under += (i - middle) ** 2;
  }
  return under === 0 ? 0 : (over / under) * (values.length - 1);
}

/** Counts the moments (in milliseconds, in order) in each whole second from the first one on. */
export function countPerSecond(moments: readonly number[]): number[] {
  const first = moments[0] ?? 0;
  const seconds = Array.from({ length: Math.floor(((moments.at(-1) ?? 0) - first) / 1000) }, () => 0);
  for (const moment of moments) {
    const second = Math.floor((moment - first) / 1000);
    if (second < seconds.length) seconds[second] = (seconds[second] ?? 0) + 1;
  }
  return seconds;
}

/** Returns the distances between consecutive moments. */
export function intervals(moments: readonly number[]): number[] {
  return moments.slice(1).map((moment, i) => moment - (moments[i] ?? 0));
}
