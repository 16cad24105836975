import type { Db } from "../../db/db.ts";

/** The mails that wait, with the one that has been due longest. */
export interface WaitingMails {
  count: number;
  /** Epoch milliseconds; null: none is due. */
  oldestDueAt: number | null;
  /** Why the last try of that one failed. */
  reason: string | null;
}

export async function waitingMails(db: Db, now: number): Promise<WaitingMails> {
  const open = () => db.selectFrom("mails").where("ended_at", "is", null);
  const { count } = await open()
    .select((eb) => eb.fn.countAll<number | string>().as("count"))
    .executeTakeFirstOrThrow();
  const oldest = await open()
    .select(["due_at", "created_at", "reason", "tries"])
    .orderBy("created_at")
    .limit(1)
    .executeTakeFirst();
  if (oldest === undefined) return { count: 0, oldestDueAt: null, reason: null };
  // A mail that was tried is due again later; what an operator asks is since when it should be gone.
  const dueAt = oldest.tries > 0 ? Math.min(oldest.created_at, oldest.due_at) : oldest.due_at;
  return { count: Number(count), oldestDueAt: dueAt <= now ? dueAt : null, reason: oldest.reason };
}

/** Counts the mails that no mail server took for good, and that ended since then. */
export async function countFailed(db: Db, since: number): Promise<number> {
  const { count } = await db
    .selectFrom("mails")
    .select((eb) => eb.fn.countAll<number | string>().as("count"))
    .where("ended_at", ">", since)
    .where("state", "in", ["refused", "expired"])
    .executeTakeFirstOrThrow();
  return Number(count);
}
