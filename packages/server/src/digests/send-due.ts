import { enqueueMail } from "../accounts/mails.ts";
import { runOnOne } from "../cluster/duties.ts";
import { sendsMail } from "../config/mail.ts";
import type { AppContext } from "../context.ts";
import { transact } from "../db/transact.ts";
import { visiblePages } from "../notifications/push/visible-pages.ts";
import { type DigestReader, missedBy, readerOf } from "./decide.ts";
import * as store from "./digests.store.ts";
import { AWAY_MS, nextMorning } from "./plan.ts";

const EVERY_MS = 20_000;
/** Digests of one pass; each is a transaction of its own. */
const AT_ONCE = 100;

/** Hands the digests that are due over to the mails, on one node, until the server closes. */
export function startDigests(ctx: AppContext): void {
  if (!sendsMail(ctx.config)) return;
  runOnOne(ctx, "send digests", EVERY_MS, "sending digests failed", () => sendDue(ctx));
}

/** Decides about the digests that are due: each is handed over, waits, or ends. */
export async function sendDue(ctx: AppContext): Promise<void> {
  const due = await store.dueDigests(ctx.db, ctx.clock.now(), AT_ONCE);
  if (due.length === 0) return;
  const looking = await visiblePages(ctx).among(due);
  for (const userId of due) {
    try {
      await decide(ctx, userId, looking.has(userId));
    } catch (err) {
      // One that cannot be decided must not keep the others waiting.
      ctx.log.warn({ err, user_id: userId }, "deciding about a digest failed; it is tried again");
    }
    await new Promise(setImmediate);
  }
}

/** The row is locked first: what is noted meanwhile waits for the commit, and is of the next digest. */
function decide(ctx: AppContext, userId: number, isLooking: boolean): Promise<void> {
  return transact(ctx, async (ctx) => {
    const now = ctx.clock.now();
    const row = await store.lockDue(ctx.db, userId, now);
    if (row === undefined) return;
    const reader = await readerOf(ctx, userId, now);
    if (reader === null) return store.updateDigest(ctx.db, userId, { pending: 0 });
    const dueAt = await notBefore(ctx, row, { reader, isLooking, now });
    if (dueAt > now) return store.updateDigest(ctx.db, userId, { due_at: dueAt });
    const places = await missedBy(ctx, reader, row.since);
    if (places.length === 0) return store.updateDigest(ctx.db, userId, { pending: 0 });
    await store.updateDigest(ctx.db, userId, { pending: 0, sent_at: now });
    await enqueueMail(ctx, {
      kind: "digest",
      to: { userId },
      parameters: { since: row.since, sent_before: row.sent_at },
    });
  });
}

/** Returns when this digest may be sent, epoch milliseconds. `isLooking`: the user has a page in front of them. */
async function notBefore(
  ctx: AppContext,
  { user_id, since, sent_at }: store.DigestRow,
  { reader, isLooking, now }: { reader: DigestReader; isLooking: boolean; now: number },
): Promise<number> {
  const next = Math.max(sent_at === null ? 0 : sent_at + store.INTERVAL_MS, reader.quietUntil);
  // The user may have chosen `daily` since the digest was planned.
  if (reader.digest === "daily") return Math.max(next, nextMorning(reader.zone, since));
  const seen = isLooking ? now : await store.lastSeen(ctx.db, user_id);
  return Math.max(next, seen + AWAY_MS);
}

/** The parameters of a digest in the outbox: since when messages were missed, and when the digest before was sent. */
export interface DigestParameters {
  since: number;
  sent_before: number | null;
}

/**
 * Plans a digest again that cannot be sent now, because quiet hours have begun while it waited for a mail server. It then
 * lists also the messages that were missed meanwhile. Call it in a transaction.
 */
export async function planAgain(
  ctx: AppContext,
  { user, quietUntil }: DigestReader,
  { since, sent_before }: DigestParameters,
): Promise<void> {
  await store.updateDigest(ctx.db, user.id, { pending: 1, due_at: quietUntil, since, sent_at: sent_before });
}
