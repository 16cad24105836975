import type { Millis } from "../../db/columns.ts";

const formats = new Map<string, Intl.DateTimeFormat>();

/**
 * Returns when the clocks of a zone show this time, which is given as if it were UTC. When clocks are set back and show
 * it twice, it is the first time; when they are set forward and never show it, it is the time after the change.
 */
export function zonedTime(local: Millis, zone: string): Millis {
  if (zone === "UTC") return local;
  const guess = local - offsetAt(local, zone);
  // The first guess is of the other side of a change, or right.
  const [before, after] = [offsetAt(guess - 3 * HOUR, zone), offsetAt(guess + 3 * HOUR, zone)];
  for (const offset of [before, after]) if (offsetAt(local - offset, zone) === offset) return local - offset;
  return local - before;
}

const HOUR = 60 * 60 * 1000;

/** Returns by how much the clocks of a zone are ahead of UTC. */
function offsetAt(at: Millis, zone: string): Millis {
  const parts = new Map(
    formatOf(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const part = (name: Intl.DateTimeFormatPartTypes): number => parts.get(name) ?? 0;
  const shown = Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"));
  return shown - Math.floor(at / 1000) * 1000;
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const digits = { year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric" } as const;
  const made = new Intl.DateTimeFormat("en-US", { timeZone: zone, hourCycle: "h23", ...digits, second: "numeric" });
  formats.set(zone, made);
  return made;
}
