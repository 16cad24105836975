import type { Kysely } from "kysely";
import type { Tables } from "../db/tables.ts";

/** Who holds these names. */
export function findNames(db: Kysely<Tables>, keys: readonly string[]) {
  return db
    .selectFrom("names")
    .select(["name_key", "name", "kind", "user_id", "agent_id"])
    .where("name_key", "in", keys)
    .execute();
}
