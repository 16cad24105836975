const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const MORNING = 9;

/** A time that is offered. */
export interface LaterTime {
  kind: "minutes" | "hours" | "tomorrow" | "monday";
  time: number;
  /** Minutes or hours. */
  count: number;
}

/** Returns the times that are offered for something later, in the time zone of the browser; one is in `hours`. */
export function laterTimes(now: number, hours: number): LaterTime[] {
  const day = new Date(now).getDay();
  const times: LaterTime[] = [
    { kind: "minutes", time: now + 20 * MINUTE_MS, count: 20 },
    { kind: "hours", time: now + hours * HOUR_MS, count: hours },
    { kind: "tomorrow", time: morning(now, 1), count: 0 },
  ];
  // On a Sunday that is tomorrow.
  if (day !== 0) times.push({ kind: "monday", time: morning(now, 8 - day), count: 0 });
  return times;
}

function morning(now: number, days: number): number {
  const at = new Date(now);
  at.setDate(at.getDate() + days);
  return at.setHours(MORNING, 0, 0, 0);
}

/** Returns a time as the value of `<input type="datetime-local">`. */
export function fieldValueOf(time: number): string {
  const at = new Date(time);
  return new Date(time - at.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16);
}
