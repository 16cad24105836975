import { sql } from "kysely";
import { HIDDEN_AT } from "../../base/hidden-at.ts";
import type { Db } from "../../db/db.ts";
import { isUnused, type Use } from "./is-unused.ts";

/** Hides an account that was just inserted. */
export async function hideUser(db: Db, id: number, createdAt: number): Promise<void> {
  await db.updateTable("users").set({ erased_at: HIDDEN_AT, created_at: createdAt }).where("id", "=", id).execute();
}

/** Shows hidden accounts under the names that are held for them. */
export async function showUsers(db: Db, ids: readonly number[], now: number): Promise<void> {
  await db
    .updateTable("users")
    .set({ erased_at: null, updated_at: now })
    .where("id", "in", ids)
    .where("erased_at", "=", HIDDEN_AT)
    .execute();
  await db
    .updateTable("names")
    .set({ kind: "user", user_id: sql<number>`(select id from users where username_key = names.name_key)` })
    .where("name_key", "in", (keys) => keys.selectFrom("users").select("username_key").where("id", "in", ids))
    .where("user_id", "is", null)
    .execute();
}

/** Hides accounts again. Their names stay held. */
export async function hideUsers(db: Db, ids: readonly number[]): Promise<void> {
  await db.updateTable("names").set({ kind: "agent", user_id: null }).where("user_id", "in", ids).execute();
  await db
    .updateTable("users")
    .set({ erased_at: HIDDEN_AT })
    .where("id", "in", ids)
    .where("erased_at", "is", null)
    .execute();
}

/** Columns with users that others have made, or that are kept for the books: for them an account must stay. */
const USES: readonly Use[] = [
  ["agents", "owner_user_id"],
  ["channel_agents", "added_by"],
  ["channels", "owner_id"],
  ["direct_agents", "user_id"],
  ["direct_channels", "low_user_id"],
  ["direct_channels", "high_user_id"],
  ["erasures", "user_id"],
  ["files", "user_id"],
  ["names", "user_id"],
  ["packet_claims", "user_id"],
  ["packets", "sender_id"],
  ["reports", "reporter_id"],
  ["reset_links", "issuer_id"],
  ["security_notices", "actor_id"],
  ["setup_codes", "maker_id"],
  ["setup_codes", "owner_id"],
  ["stickers", "user_id"],
  ["thread_follows", "user_id"],
  ["users", "invited_by"],
  ["wallet_challenges", "user_id"],
];

/** Tables with rows of the account itself, which the database does not delete with it. */
const ITS_OWN = [
  "display_name_keys",
  "login_challenges",
  "passkey_challenges",
  "passkeys",
  "recovery_codes",
  "reset_links",
  "shown_profiles",
  "totp_secrets",
] as const;

/**
 * Deletes hidden accounts, with what is their own and the names that are held for them. Those that somebody uses stay
 * hidden: a conversation may have been begun while the account was being hidden.
 */
export async function deleteUsers(db: Db, ids: readonly number[]): Promise<void> {
  const rows = await db
    .selectFrom("users")
    .select(["id", "username_key"])
    .where("id", "in", ids)
    .where("erased_at", "=", HIDDEN_AT)
    .where(isUnused("users", USES))
    .execute();
  if (rows.length === 0) return;
  const unused = rows.map(({ id }) => id);
  const keys = rows.map(({ username_key }) => username_key);
  await db.deleteFrom("names").where("name_key", "in", keys).where("user_id", "is", null).execute();
  for (const table of ITS_OWN) await db.deleteFrom(table).where("user_id", "in", unused).execute();
  await db.deleteFrom("users").where("id", "in", unused).where("erased_at", "=", HIDDEN_AT).execute();
}
