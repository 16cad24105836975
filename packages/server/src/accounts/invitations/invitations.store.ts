import type { Insertable, Selectable } from "kysely";
import type { Db } from "../../db/db.ts";
import type { InvitationsTable } from "../../db/tables/site.ts";

export type InvitationRow = Selectable<InvitationsTable>;

/** An invitation, and the name of its maker. */
export type NamedInvitation = InvitationRow & { username: string };

export const insertInvitation = (db: Db, row: Insertable<InvitationsTable>): Promise<InvitationRow> =>
  db.insertInto("invitations").values(row).returningAll().executeTakeFirstOrThrow();

const named = (db: Db) =>
  db
    .selectFrom("invitations")
    .innerJoin("users", "users.id", "invitations.user_id")
    .selectAll("invitations")
    .select("users.username");

export async function findInvitation(db: Db, code: string): Promise<NamedInvitation | null> {
  return (await named(db).where("invitations.code", "=", code).executeTakeFirst()) ?? null;
}

export async function findInvitationById(db: Db, id: number): Promise<NamedInvitation | null> {
  return (await named(db).where("invitations.id", "=", id).executeTakeFirst()) ?? null;
}

/** Counts one more use of an invitation that can be used; false if it cannot. Of the last use only one call gets it. */
export async function takeUse(db: Db, code: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("invitations")
    .set((eb) => ({ uses: eb("uses", "+", 1) }))
    .where("code", "=", code)
    .where("revoked_at", "is", null)
    .where("expires_at", ">", now)
    .whereRef("uses", "<", "uses_max")
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Ends an invitation; false if it was revoked before. */
export async function revokeInvitation(db: Db, id: number, now: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("invitations")
    .set({ revoked_at: now })
    .where("id", "=", id)
    .where("revoked_at", "is", null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Counts the user's invitations that can be used. */
export async function countOpen(db: Db, userId: number, now: number): Promise<number> {
  const { count } = await db
    .selectFrom("invitations")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("user_id", "=", userId)
    .where("revoked_at", "is", null)
    .where("expires_at", ">", now)
    .whereRef("uses", "<", "uses_max")
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Deletes the user's invitations that have ended, except those among the newest. */
export async function keepNewest(db: Db, userId: number, kept: number, now: number): Promise<void> {
  const newest = db
    .selectFrom("invitations")
    .select("id")
    .where("user_id", "=", userId)
    .orderBy("id", "desc")
    .limit(kept);
  await db
    .deleteFrom("invitations")
    .where("user_id", "=", userId)
    .where("id", "not in", newest)
    .where((eb) =>
      eb.or([eb("revoked_at", "is not", null), eb("expires_at", "<=", now), eb("uses", ">=", eb.ref("uses_max"))]),
    )
    .execute();
}

/** Lists invitations, of one user or of all, newest first. */
export function listInvitations(
  db: Db,
  userId: number | null,
  { limit, offset }: { limit: number; offset: number },
): Promise<NamedInvitation[]> {
  const all = named(db);
  const some = userId === null ? all : all.where("invitations.user_id", "=", userId);
  return some.orderBy("invitations.id", "desc").limit(limit).offset(offset).execute();
}

export async function deleteInvitationsOf(db: Db, userId: number): Promise<void> {
  await db.deleteFrom("invitations").where("user_id", "=", userId).execute();
}
