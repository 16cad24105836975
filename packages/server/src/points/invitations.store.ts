import type { Insertable, Selectable } from "kysely";
import type { Db } from "../db/db.ts";
import { lockRows } from "../db/dialect.ts";
import { paddedList } from "../db/statements/sized-statement.ts";
import type { PendingInvitationsTable } from "../db/tables/points.ts";

export type PendingInvitation = Selectable<PendingInvitationsTable>;

export async function insertInvitation(db: Db, invitation: Insertable<PendingInvitationsTable>): Promise<void> {
  await db.insertInto("pending_invitations").values(invitation).execute();
}

/** Locks the invitations of these invited users that still wait for a second day of writing. At most 512 users. */
export function lockUnwritten(
  db: Db,
  userIds: readonly number[],
): Promise<Pick<PendingInvitation, "user_id" | "first_day">[]> {
  const query = db
    .selectFrom("pending_invitations")
    .select(["user_id", "first_day"])
    .where("user_id", "in", paddedList(userIds))
    .where("wrote_again", "=", 0)
    .orderBy("user_id");
  return lockRows(db, query).execute();
}

export async function setWritten(
  db: Db,
  { user_id, first_day, wrote_again }: Pick<PendingInvitation, "user_id" | "first_day" | "wrote_again">,
): Promise<void> {
  await db.updateTable("pending_invitations").set({ first_day, wrote_again }).where("user_id", "=", user_id).execute();
}

/** Returns invited users whose invitation can be paid, longest due first. */
export async function findDue(db: Db, now: number, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom("pending_invitations")
    .select("user_id")
    .where("wrote_again", "=", 1)
    .where("due_at", "<=", now)
    .orderBy("due_at")
    .limit(limit)
    .execute();
  return rows.map(({ user_id }) => user_id);
}

/**
 * Removes a user's invitation and returns it; undefined when there is none, for example because another node has
 * settled it.
 */
export function takeInvitation(db: Db, userId: number): Promise<Pick<PendingInvitation, "inviter_id"> | undefined> {
  return db.deleteFrom("pending_invitations").where("user_id", "=", userId).returning("inviter_id").executeTakeFirst();
}

/** Locks the given users that are neither erased nor suspended at `now`, and returns their ids. */
export async function lockActiveUsers(db: Db, userIds: readonly number[], now: number): Promise<number[]> {
  const query = db
    .selectFrom("users")
    .select("id")
    .where("id", "in", userIds)
    .where("erased_at", "is", null)
    .where((eb) => eb.or([eb("suspended_until", "is", null), eb("suspended_until", "<=", now)]))
    .orderBy("id");
  const rows = await lockRows(db, query).execute();
  return rows.map(({ id }) => id);
}

/** Removes the invitations by and of a user. */
export async function removeInvitationsOf(db: Db, userId: number): Promise<void> {
  await db
    .deleteFrom("pending_invitations")
    .where((eb) => eb.or([eb("user_id", "=", userId), eb("inviter_id", "=", userId)]))
    .execute();
}
