import { newToken } from "../accounts/links/link-token.ts";
import { nextLocalTime } from "../channels/preferences/local-time.ts";
import { sendsMail } from "../config/mail.ts";
import type { AppContext } from "../context.ts";
import { noteMissed, readersAmong } from "./digests.store.ts";

/** How long a user must have been away before they get a mail, and how long a message has to be unread. */
export const AWAY_MS = 30 * 60_000;
/** The time of day, by the user's clock, of digests that come daily. */
const MORNING = "08:00";

/**
 * Plans the digests of users who have missed something, in the transaction that makes their notifications: so none is
 * forgotten by a crash. `now`: when the notifications were made, epoch milliseconds.
 */
export async function planDigests(ctx: AppContext, userIds: readonly number[], now: number): Promise<void> {
  if (!sendsMail(ctx.config)) return;
  const readers = await readersAmong(ctx.db, userIds);
  if (readers.length === 0) return;
  const rows = readers.map(({ user_id, digest, zone }) => ({
    user_id,
    token: newToken(ctx.clock),
    since: now,
    due_at: digest === "daily" ? nextMorning(zone, now) : now + AWAY_MS,
  }));
  await noteMissed(ctx.db, rows);
}

/** Returns the next morning of a user, epoch milliseconds. */
export const nextMorning = (zone: string | null, now: number): number => nextLocalTime(MORNING, zone ?? "UTC", now);
