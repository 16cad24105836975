import { typedTime } from "../base/iso-time.ts";

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const RELATIVE = /^(\d{1,6})\s*(s|sec(?:onds?)?|m|min(?:utes?)?|h|hours?|d|days?)(?:\s+ago)?$/i;
const WITH_ZONE = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?\s?(?:Z|[+-]\d{2}:?\d{2})$/i;

/**
 * Reads the time of a restore: `newest` (null), a time with its zone, or how long ago, such as `15m`, `2h` or `3 days ago`.
 * Returns epoch milliseconds. Throws an error whose message says what is wrong.
 */
export function restoreTime(text: string, now: number): number | null {
  const wanted = text.trim();
  if (/^(newest|latest|now)$/i.test(wanted)) return null;
  const [, count = "", unit = ""] = RELATIVE.exec(wanted) ?? [];
  if (count !== "") return now - Number(count) * (UNITS[unit.charAt(0).toLowerCase()] ?? 0);
  const at = WITH_ZONE.test(wanted) ? typedTime(wanted.replace(" ", "T").replace(/\s/, "")) : Number.NaN;
  if (Number.isNaN(at))
    throw new Error(
      `--at ${wanted} is not a time. Write it with its zone, such as 2030-01-31T18:00:00Z or 2030-01-31T19:00:00+01:00, or how long ago, such as 15m, 2h or 3d, or: newest`,
    );
  if (at > now) throw new Error(`--at ${wanted} is in the future. For the newest state write: --at newest`);
  return at;
}
