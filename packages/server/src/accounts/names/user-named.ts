import type { Db } from "../../db/db.ts";
import { nameKey } from "./names.ts";

/**
 * Selects the account of a name. Those of an import that is not open are left out: their names are held, but nobody may
 * learn of them by a name, or do anything to them. Whoever looks for an account by a name goes through here.
 */
export const userNamed = (db: Db, username: string) =>
  db.selectFrom("users").where("users.username_key", "=", nameKey(username)).where("users.erased_at", "is", null);
