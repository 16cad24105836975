import type { OwnSettings } from "./channel-preferences.ts";

type Settings = Pick<OwnSettings, "push" | "muted_until">;

/** True if nothing may ring now: the user has paused notifications, or it is within their quiet hours. */
export const isQuiet = (settings: Settings, now: Date): boolean =>
  pausedUntil(settings, now) !== null || isInQuietHours(settings, now);

/** Returns the time until which the user has paused all notifications; null: they have not. */
export function pausedUntil({ muted_until }: Pick<Settings, "muted_until">, now: Date): string | null {
  return muted_until != null && Date.parse(muted_until) > now.getTime() ? muted_until : null;
}

function isInQuietHours({ push }: Pick<Settings, "push">, now: Date): boolean {
  if (push?.quiet_from == null || push.quiet_to === null) return false;
  const { quiet_from: from, quiet_to: to, zone } = push;
  const time = timeIn(zone ?? "UTC", now);
  if (from === to) return false;
  // Most quiet hours end on the next day.
  return from < to ? time >= from && time < to : time >= from || time < to;
}

/** Returns the local time of a zone, as `22:05`; that of UTC where the browser does not know the zone. */
function timeIn(timeZone: string, now: Date): string {
  const format = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
  try {
    return new Intl.DateTimeFormat("en", { ...format, timeZone }).format(now);
  } catch {
    return new Intl.DateTimeFormat("en", { ...format, timeZone: "UTC" }).format(now);
  }
}
