let lastMillis = 0;
let lastIso = new Date(0).toISOString();

/** Formats a time, in epoch milliseconds, as ISO 8601. Caches the last one, because the messages of a batch share it. */
export function isoTime(millis: number): string {
  if (millis !== lastMillis) {
    lastIso = new Date(millis).toISOString();
    lastMillis = millis;
  }
  return lastIso;
}

/** Formats a time that may be absent. */
export const isoTimeOrNull = (millis: number | null): string | null => (millis === null ? null : isoTime(millis));
