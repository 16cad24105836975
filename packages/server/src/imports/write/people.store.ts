import type { Db } from "../../db/db.ts";

/** Returns the usernames of accounts, by their ids; those that were erased have none. `hidden` ones have theirs. */
export async function namesOfUsers(db: Db, ids: readonly number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom("users").select(["id", "username"]).where("id", "in", ids).execute();
  return new Map(rows.map(({ id, username }) => [id, username]));
}

/** Returns the names of agents that imports of this source made, by their ids in the source. */
export async function namesOfAgents(
  db: Db,
  source: string,
  sourceIds: readonly string[],
): Promise<Map<string, string>> {
  if (sourceIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("import_items")
    .select(["source_id", "content_hash"])
    .where("source", "=", source)
    .where("kind", "=", "agent")
    .where("source_id", "in", sourceIds)
    .execute();
  return new Map(rows.flatMap(({ source_id, content_hash }) => (content_hash ? [[source_id, content_hash]] : [])));
}
