/** When a status may end, as the user chooses it. */
export type End = "never" | "hour" | "hours" | "today" | "week";

const HOUR_MS = 3_600_000;

/** Returns the time that is meant, in the browser's time zone; null: never. A week ends with its Sunday. */
export function endOf(end: End, now: Date): string | null {
  if (end === "never") return null;
  if (end === "hour" || end === "hours")
    return new Date(now.getTime() + (end === "hour" ? 1 : 4) * HOUR_MS).toISOString();
  const days = end === "today" ? 1 : 8 - (now.getDay() || 7);
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days).toISOString();
}
