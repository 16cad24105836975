import type { Insertable, Selectable } from "kysely";
import type { Db } from "../../db/db.ts";
import type { ClaimableAccountsTable, ClaimLinksTable } from "../../db/tables/claimable-accounts.ts";

export type ClaimLinkRow = Selectable<ClaimLinksTable>;

/** Marks accounts that an import makes as claimable. */
export async function insertClaimable(db: Db, rows: readonly Insertable<ClaimableAccountsTable>[]): Promise<void> {
  if (rows.length > 0) await db.insertInto("claimable_accounts").values(rows).execute();
}

/** Marks an account as claimed. Returns false if it is not claimable, or was claimed before. */
export async function markClaimed(db: Db, userId: number, now: number): Promise<boolean> {
  const row = await db
    .updateTable("claimable_accounts")
    .set({ claimed_at: now })
    .where("user_id", "=", userId)
    .where("claimed_at", "is", null)
    .returning("user_id")
    .executeTakeFirst();
  return row !== undefined;
}

/** An account for which a link can be made. */
export interface LinkableRow {
  id: number;
  username: string;
  email: string | null;
}

/** The accounts of an import that nobody has claimed, and that have no way in yet and no suspension. */
const linkable = (db: Db, importId: number, now: number) =>
  db
    .selectFrom("claimable_accounts as claimable")
    .innerJoin("users", "users.id", "claimable.user_id")
    .where("claimable.import_id", "=", importId)
    .where("claimable.claimed_at", "is", null)
    .where("users.erased_at", "is", null)
    .where("users.password_hash", "is", null)
    .where((eb) => eb.or([eb("users.suspended_until", "is", null), eb("users.suspended_until", "<=", now)]));

/** Returns the next of them after an id, in the order of ids. */
export const linkableAfter = (
  db: Db,
  importId: number,
  { after, now, limit }: { after: number; now: number; limit: number },
): Promise<LinkableRow[]> =>
  linkable(db, importId, now)
    .select(["users.id", "users.username", "users.email"])
    .where("claimable.user_id", ">", after)
    .orderBy("claimable.user_id")
    .limit(limit)
    .execute();

/** Stores links in place of the accounts' earlier ones. */
export async function putClaimLinks(db: Db, links: readonly ClaimLinkRow[]): Promise<void> {
  await db
    .insertInto("claim_links")
    .values(links)
    .onConflict((conflict) =>
      conflict.column("user_id").doUpdateSet((eb) => ({
        token_hash: eb.ref("excluded.token_hash"),
        created_at: eb.ref("excluded.created_at"),
        expires_at: eb.ref("excluded.expires_at"),
      })),
    )
    .execute();
}

export async function findClaimLink(db: Db, tokenHash: string): Promise<ClaimLinkRow | null> {
  const query = db.selectFrom("claim_links").selectAll().where("token_hash", "=", tokenHash);
  return (await query.executeTakeFirst()) ?? null;
}

/** Removes a link and returns it. Of two concurrent calls, one finds it. */
export async function takeClaimLink(db: Db, tokenHash: string): Promise<ClaimLinkRow | null> {
  const query = db.deleteFrom("claim_links").where("token_hash", "=", tokenHash);
  return (await query.returningAll().executeTakeFirst()) ?? null;
}

export async function removeClaimLink(db: Db, userId: number): Promise<void> {
  await db.deleteFrom("claim_links").where("user_id", "=", userId).execute();
}

/** Removes all links that have expired. */
export async function removeExpiredClaimLinks(db: Db, now: number): Promise<void> {
  await db.deleteFrom("claim_links").where("expires_at", "<=", now).execute();
}

/** Removes what says that an import made the account. */
export async function forgetClaimable(db: Db, userId: number): Promise<void> {
  await db.deleteFrom("claimable_accounts").where("user_id", "=", userId).execute();
  await removeClaimLink(db, userId);
}
