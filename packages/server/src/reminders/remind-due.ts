import { REMINDERS_KEPT_DAYS } from "@parley/protocol/reminders";
import { notify } from "../accounts/notices.ts";
import { runOnOne } from "../cluster/duties.ts";
import type { AppContext } from "../context.ts";
import { transact } from "../db/transact.ts";
import { addReminders } from "../notifications/notices/reminders.ts";
import { tell } from "./reminders.service.ts";
import * as store from "./reminders.store.ts";

const PASS_MS = 1_000;
const FORGET_MS = 10 * 60_000;
/** Reminders of one pass, and of one transaction: on SQLite it holds the thread, so it should be short. */
const PASS_MAX = 2_000;
const AT_ONCE = 50;
const FORGET_MAX = 500;
const DAY_MS = 86_400_000;

/** Reminds of what is due, every second and on one node, until the server closes. */
export function startReminders(ctx: AppContext): void {
  runOnOne(ctx, "remind users", PASS_MS, "reminding users failed", () => remindDue(ctx));
  runOnOne(ctx, "forget reminders", FORGET_MS, "forgetting reminders failed", () => forgetReminders(ctx));
}

/** Deletes reminders that ended so long ago that no list shows them. */
export const forgetReminders = (ctx: AppContext): Promise<void> =>
  store.forgetEnded(ctx.db, ctx.clock.now() - REMINDERS_KEPT_DAYS * DAY_MS, FORGET_MAX);

/**
 * Reminds of what is due, the oldest first, however late. A reminder ends in the transaction that makes its
 * notification, so each makes one, also if the server is killed or two nodes do it at once.
 */
export async function remindDue(ctx: AppContext): Promise<void> {
  const due = await store.dueReminders(ctx.db, ctx.clock.now(), PASS_MAX);
  for (let from = 0; from < due.length; from += AT_ONCE) {
    const ids = due.slice(from, from + AT_ONCE);
    try {
      await remind(ctx, ids);
    } catch (err) {
      ctx.log.warn({ err }, "reminding several users at once failed; each is tried alone");
      for (const id of ids) await remindAlone(ctx, id);
    }
    await new Promise(setImmediate);
  }
}

/** One that cannot be made must not keep the others waiting. */
async function remindAlone(ctx: AppContext, id: number): Promise<void> {
  try {
    await remind(ctx, [id]);
  } catch (err) {
    ctx.log.warn({ err, reminder_id: id }, "reminding a user failed; it is tried again");
  }
}

/** Decides again who may read the messages. Users who may not learn only that their reminder has ended. */
function remind(ctx: AppContext, dueIds: readonly number[]): Promise<void> {
  return transact(ctx, async (ctx) => {
    const now = ctx.clock.now();
    const rows = await store.shownReminders(ctx.db, await store.lockDue(ctx.db, dueIds, now), now);
    const done = rows.filter(({ readable }) => readable === 1);
    const ended = rows.filter(({ readable }) => readable !== 1);
    await store.endReminders(ctx.db, idsOf(done), { status: "done", ended_at: now });
    await store.endReminders(ctx.db, idsOf(ended), { status: "ended", ended_at: now });
    await addReminders(ctx, done);
    for (const row of ended) await notify(ctx, row.user_id, { code: "reminder_ended", detail: row.note, isOnce: true });
    for (const row of done) tell(ctx, row, "done");
    for (const row of ended) tell(ctx, row, "ended");
  });
}

const idsOf = (rows: readonly store.ShownRow[]): number[] => rows.map(({ id }) => id);
