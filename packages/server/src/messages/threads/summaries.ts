import type { AppContext } from "../../context.ts";
import type { Db } from "../../db/db.ts";
import { appendEvent, tryLockChannel } from "../../event-log/events.ts";
import {
  columnOf,
  firstOfEach,
  type ReplyRow,
  replierOf,
  summaryOf,
  type ThreadSummary,
} from "../../event-log/thread-summary.ts";
import type { ThreadRoot } from "../append/draft.ts";
import { findMessage, updateMessage } from "../messages.store.ts";

/**
 * Newest replies, deleted ones included, in which the people who replied are looked for. Others stay among them without
 * being looked for again.
 */
const LOOK_BACK = 1_000;

/**
 * Takes a reply that has just been deleted out of what its root says. Call it under the lock of the channel's row. Returns
 * the root after the change; undefined if it was purged.
 */
export async function withoutReply(
  db: Db,
  rootId: number,
  deleted: Pick<ReplyRow, "seq">,
): Promise<ThreadRoot | undefined> {
  const root = await findMessage(db, rootId);
  if (root === undefined) return undefined;
  const before = summaryOf(root.thread);
  const isShown = before.last?.seq === deleted.seq || before.repliers.some(({ seq }) => seq === deleted.seq);
  const after = { ...before, count: Math.max(0, before.count - 1) };
  return save(db, rootId, isShown ? await withNewest(db, rootId, after, deleted.seq) : after);
}

/**
 * Counts the replies of a thread again, in time proportional to their number. Call it under the lock of the channel's row
 * after replies were rewritten or purged. Returns the root after the change; undefined if it was purged.
 */
export async function recount(db: Db, rootId: number): Promise<ThreadRoot | undefined> {
  const root = await findMessage(db, rootId);
  if (root === undefined) return undefined;
  const before = { ...summaryOf(root.thread), count: await repliesIn(db, rootId), repliers: [] };
  return save(db, rootId, await withNewest(db, rootId, before, null));
}

/** Counts the replies of a thread that are not deleted. */
async function repliesIn(db: Db, rootId: number): Promise<number> {
  const { n } = await db
    .selectFrom("messages")
    .select((eb) => eb.fn.countAll<number | string>().as("n"))
    .where("thread_root_id", "=", rootId)
    .where("deleted_at", "is", null)
    .executeTakeFirstOrThrow();
  return Number(n);
}

/** Returns the roots of those messages that are replies. */
export async function rootsOfReplies(db: Db, ids: readonly number[]): Promise<number[]> {
  const rows = await db
    .selectFrom("messages")
    .select("thread_root_id")
    .distinct()
    .where("id", "in", ids)
    .where("thread_root_id", "is not", null)
    .execute();
  return rows.flatMap(({ thread_root_id }) => thread_root_id ?? []);
}

async function save(db: Db, rootId: number, summary: ThreadSummary): Promise<ThreadRoot> {
  const thread = columnOf(summary);
  await updateMessage(db, rootId, { thread });
  return { id: rootId, thread };
}

/** Looks up the newest reply and who replied. `gone` is the seq of a reply that does not count any more. */
async function withNewest(db: Db, rootId: number, before: ThreadSummary, gone: number | null): Promise<ThreadSummary> {
  const rows = await db
    .selectFrom("messages")
    .select(["seq", "created_at", "sender_type", "sender_name", "deleted_at"])
    .where("thread_root_id", "=", rootId)
    .orderBy("seq", "desc")
    .limit(LOOK_BACK)
    .execute();
  const newest = rows.filter(({ deleted_at }) => deleted_at === null);
  const last = newest[0] ?? (rows.length < LOOK_BACK ? undefined : await lastReply(db, rootId));
  const lowest = rows.at(-1)?.seq ?? 0;
  const older = before.repliers.filter(({ seq }) => seq < lowest && seq !== gone);
  return {
    ...before,
    last: last === undefined ? null : { seq: last.seq, at: last.created_at },
    repliers: firstOfEach([...newest.flatMap(replierOf), ...older]),
  };
}

const lastReply = (db: Db, rootId: number): Promise<ReplyRow | undefined> =>
  db
    .selectFrom("messages")
    .select(["seq", "created_at", "sender_type", "sender_name"])
    .where("thread_root_id", "=", rootId)
    .where("deleted_at", "is", null)
    .orderBy("seq", "desc")
    .limit(1)
    .executeTakeFirst();

/**
 * Counts threads again from which a node of the release before threads deleted replies: it did not know that their roots
 * count them. Call it inside `transact`, once for messages that were deleted; it may be too often. A lone server has no
 * such node beside it, and pays nothing.
 */
export async function mendThreads(
  ctx: AppContext,
  channel: { id: number; slug: string },
  deletedIds: readonly number[],
): Promise<void> {
  if (ctx.cluster === null || deletedIds.length === 0) return;
  for (const rootId of await rootsOfReplies(ctx.db, deletedIds)) {
    const root = await findMessage(ctx.db, rootId);
    if (root === undefined || summaryOf(root.thread).count === (await repliesIn(ctx.db, rootId))) continue;
    if (!(await tryLockChannel(ctx, channel.id))) return;
    const counted = await recount(ctx.db, rootId);
    const row = await findMessage(ctx.db, rootId);
    if (counted === undefined || row === undefined) continue;
    await appendEvent(ctx, channel.id, "message:update", { message: { row, channelSlug: channel.slug } });
  }
}
