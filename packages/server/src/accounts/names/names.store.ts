import type { Db } from "../../db/db.ts";

/** Returns the holders of these names. Names that are only held have none. */
export function findNames(db: Db, keys: readonly string[]) {
  return db
    .selectFrom("names")
    .select(["name_key", "name", "kind", "user_id", "agent_id"])
    .where("name_key", "in", keys)
    .where((name) => name.or([name("user_id", "is not", null), name("agent_id", "is not", null)]))
    .execute();
}

/** Returns every name, ordered by key. */
export function allNames(db: Db) {
  return db.selectFrom("names").select(["name", "kind", "skeleton"]).orderBy("name_key").execute();
}

/** Returns the names with these skeletons. */
export async function namesWithSkeletons(db: Db, skeletons: readonly string[]) {
  if (skeletons.length === 0) return [];
  return db.selectFrom("names").select(["name", "skeleton"]).where("skeleton", "in", skeletons).execute();
}

/** Returns the first of an agent's names; undefined if it has none. */
export async function firstNameOf(db: Db, agentId: number): Promise<string | undefined> {
  const row = await db
    .selectFrom("names")
    .select("name")
    .where("agent_id", "=", agentId)
    .orderBy("name_key")
    .limit(1)
    .executeTakeFirst();
  return row?.name;
}
