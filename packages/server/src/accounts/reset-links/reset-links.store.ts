import type { Insertable, Selectable } from "kysely";
import type { Db } from "../../db/db.ts";
import type { ResetLinksTable } from "../../db/tables/accounts.ts";

export type ResetLinkRow = Selectable<ResetLinksTable>;

/** Stores a link in place of the user's earlier one. */
export async function putResetLink(db: Db, link: Insertable<ResetLinksTable>): Promise<void> {
  const { user_id: _, ...values } = link;
  await db
    .insertInto("reset_links")
    .values(link)
    .onConflict((conflict) => conflict.column("user_id").doUpdateSet(values))
    .execute();
}

export async function findResetLink(db: Db, tokenHash: string): Promise<ResetLinkRow | null> {
  return (
    (await db.selectFrom("reset_links").selectAll().where("token_hash", "=", tokenHash).executeTakeFirst()) ?? null
  );
}

/** Returns the link for a user; null: there is none. */
export async function linkOf(db: Db, userId: number): Promise<ResetLinkRow | null> {
  return (await db.selectFrom("reset_links").selectAll().where("user_id", "=", userId).executeTakeFirst()) ?? null;
}

/** Removes a link and returns it. Of two concurrent calls, one finds it. */
export async function takeResetLink(db: Db, tokenHash: string): Promise<ResetLinkRow | null> {
  const row = await db.deleteFrom("reset_links").where("token_hash", "=", tokenHash).returningAll().executeTakeFirst();
  return row ?? null;
}

/** Removes all links that have expired. */
export async function removeExpiredLinks(db: Db, now: number): Promise<void> {
  await db.deleteFrom("reset_links").where("expires_at", "<=", now).execute();
}

/** Removes the link that a user got by mail. */
export async function forgetMailedLink(db: Db, userId: number): Promise<void> {
  await db.deleteFrom("reset_links").where("user_id", "=", userId).where("issuer_id", "=", userId).execute();
}

/** Removes the link for a user, and those that the user made. */
export async function forgetResetLinks(db: Db, userId: number): Promise<void> {
  await db
    .deleteFrom("reset_links")
    .where((link) => link.or([link("user_id", "=", userId), link("issuer_id", "=", userId)]))
    .execute();
}
