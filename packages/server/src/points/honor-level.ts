/**
 * Returns the honor level for these points: the index (from 0) of the highest threshold reached (protocol §2). The
 * configuration guarantees that thresholds ascend from 0.
 */
export function honorLevel(thresholds: readonly number[], totalPoints: number): number {
  return thresholds.findLastIndex((threshold) => totalPoints >= threshold);
}
