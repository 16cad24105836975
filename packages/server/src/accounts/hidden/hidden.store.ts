import { sql } from "kysely";
import { HIDDEN_AT } from "../../base/hidden-at.ts";
import type { Db } from "../../db/db.ts";

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

/** Deletes hidden accounts and the names that are held for them. */
export async function deleteUsers(db: Db, ids: readonly number[]): Promise<void> {
  const hidden = db
    .selectFrom("users")
    .select("username_key")
    .where("id", "in", ids)
    .where("erased_at", "=", HIDDEN_AT);
  await db.deleteFrom("names").where("name_key", "in", hidden).where("user_id", "is", null).execute();
  await db.deleteFrom("shown_profiles").where("user_id", "in", ids).execute();
  await db.deleteFrom("display_name_keys").where("user_id", "in", ids).execute();
  await db.deleteFrom("users").where("id", "in", ids).where("erased_at", "=", HIDDEN_AT).execute();
}
