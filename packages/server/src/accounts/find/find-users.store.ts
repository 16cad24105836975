import type { Db } from "../../db/db.ts";
import { nameKey } from "../names/names.ts";

/** Sorts after every name with the same prefix. */
const LAST = "\u{10ffff}";

export interface FoundUser {
  id: number;
  username: string;
}

/** Returns the first users, by name, whose names begin with the prefix, which becomes an index range. Accounts without a login are left out. */
export function usersByPrefix(db: Db, prefix: string, limit: number): Promise<FoundUser[]> {
  const key = nameKey(prefix);
  return db
    .selectFrom("users")
    .select(["id", "username"])
    .where("username_key", ">=", key)
    .where("username_key", "<", `${key}${LAST}`)
    .where("erased_at", "is", null)
    .where("password_hash", "is not", null)
    .orderBy("username_key")
    .limit(limit)
    .execute();
}

/** Returns the users with these names; unknown names are left out. */
export function usersByNames(db: Db, names: readonly string[]): Promise<FoundUser[]> {
  return db
    .selectFrom("users")
    .select(["id", "username"])
    .where("username_key", "in", names.map(nameKey))
    .where("erased_at", "is", null)
    .orderBy("id")
    .execute();
}
