import type { UpdateNotificationSettingsBody } from "@parley/protocol/preferences";
import type { Updateable } from "kysely";
import type { UserPreferencesTable } from "../../db/tables/channels.ts";
import { fail } from "../../errors.ts";
import { localTime, nextLocalTime } from "./local-time.ts";
import type { PreferencesRow } from "./preferences.store.ts";

/** Returns the columns that the body changes. Errors: `invalid_request`. */
export function preferencesChange(
  before: PreferencesRow,
  { default: level, push = {}, mail = {}, muted_until: until }: UpdateNotificationSettingsBody,
): Updateable<UserPreferencesTable> {
  const { previews, quiet_from, quiet_to, zone } = push;
  const change = {
    ...(level === undefined ? {} : { notify_default: level }),
    ...(previews === undefined ? {} : { push_previews: Number(previews) }),
    ...(quiet_from === undefined ? {} : { quiet_from }),
    ...(quiet_to === undefined ? {} : { quiet_to }),
    ...(zone === undefined ? {} : { zone }),
    ...(mail.digest === undefined ? {} : { digest: mail.digest }),
    ...(mail.previews === undefined ? {} : { mail_previews: Number(mail.previews) }),
    ...(until === undefined ? {} : { muted_until: until === null ? null : Date.parse(until) }),
  };
  const after = { ...before, ...change };
  if ((after.quiet_from === null) !== (after.quiet_to === null)) {
    throw invalid(after.quiet_from === null ? "push.quiet_from" : "push.quiet_to", "quiet hours need both times");
  }
  if (zone != null && !isTimeZone(zone)) throw invalid("push.zone", "must be an IANA time zone such as Europe/Berlin");
  return change;
}

const invalid = (path: string, message: string) => fail("invalid_request", { details: [{ path, message }] });

/** A name of the IANA database. An offset such as `+01:00` would know no daylight saving time. */
function isTimeZone(zone: string): boolean {
  if (!/^[A-Za-z]/.test(zone)) return false;
  try {
    Intl.DateTimeFormat("en", { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

/** The columns that decide when something is pushed. */
export type QuietTimes = Pick<PreferencesRow, "quiet_from" | "quiet_to" | "zone" | "muted_until">;

/**
 * Returns whether nothing may be pushed at this time (epoch milliseconds): until `muted_until`, and in quiet hours, which
 * begin and end by the user's clock, also on the days on which it is set forward or back. Equal times are no quiet hours.
 */
export function isQuiet({ quiet_from, quiet_to, zone, muted_until }: QuietTimes, now: number): boolean {
  if (muted_until !== null && now < muted_until) return true;
  if (quiet_from === null || quiet_to === null || quiet_from === quiet_to) return false;
  const time = localTime(now, zone ?? "UTC");
  const isAfter = time >= quiet_from;
  const isBefore = time < quiet_to;
  return quiet_from < quiet_to ? isAfter && isBefore : isAfter || isBefore;
}

const STEP_MS = 15 * 60_000;

/**
 * Returns when it is no longer quiet (epoch milliseconds): `now` if it is not quiet now. The clock may be set forward or
 * back meanwhile, and quiet hours may follow `muted_until`.
 */
export function quietEnd(times: QuietTimes, now: number): number {
  if (!isQuiet(times, now)) return now;
  const { quiet_to, zone, muted_until } = times;
  const paused = Math.max(now, muted_until ?? 0);
  if (quiet_to === null || !isQuiet(times, paused)) return paused;
  let end = nextLocalTime(quiet_to, zone ?? "UTC", paused);
  // The time of day does not exist on the night on which the clock is set forward.
  while (isQuiet(times, end)) end += STEP_MS;
  return end;
}
