import type { Db } from "../../db/db.ts";
import type { ShownProfilesTable } from "../../db/tables/shown-profiles.ts";
import { nameKey } from "../names/names.ts";
import { findKeysOf } from "./display-name.ts";

export type ShownRow = Omit<ShownProfilesTable, "user_id">;

const COLUMNS = ["display_name", "status_emoji", "status_text", "status_until"] as const;

/** Returns what a user shows; null if there is nothing. */
export async function findShown(db: Db, userId: number): Promise<ShownRow | null> {
  const query = db.selectFrom("shown_profiles").select(COLUMNS).where("user_id", "=", userId);
  return (await query.executeTakeFirst()) ?? null;
}

/** Returns what those of these users show who show anything. */
export function findShownByNames(db: Db, names: readonly string[]): Promise<(ShownRow & { username: string })[]> {
  return db
    .selectFrom("users")
    .innerJoin("shown_profiles", "shown_profiles.user_id", "users.id")
    .select(["users.username", ...COLUMNS])
    .where("users.username_key", "in", names.map(nameKey))
    .where("users.erased_at", "is", null)
    .orderBy("users.id")
    .execute();
}

/** Stores what a user shows, and by which beginnings the name is found. */
export async function putShown(db: Db, userId: number, row: ShownRow): Promise<void> {
  await removeShown(db, userId);
  if (row.display_name === null && row.status_text === null) return;
  await db
    .insertInto("shown_profiles")
    .values({ user_id: userId, ...row })
    .execute();
  if (row.display_name === null) return;
  const keys = findKeysOf(row.display_name).map((find_key) => ({ user_id: userId, find_key }));
  await db.insertInto("display_name_keys").values(keys).execute();
}

/** Removes what a user shows. */
export async function removeShown(db: Db, userId: number): Promise<void> {
  await db.deleteFrom("shown_profiles").where("user_id", "=", userId).execute();
  await db.deleteFrom("display_name_keys").where("user_id", "=", userId).execute();
}
