/**
 * The level of who has earned so many points: the place (from 0) of the highest threshold reached (protocol §2). Thresholds
 * ascend from 0, which is the configuration's to see to.
 */
export function honorLevel(thresholds: readonly number[], totalPoints: number): number {
  return thresholds.findLastIndex((threshold) => totalPoints >= threshold);
}
