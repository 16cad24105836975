import { sql } from "kysely";
import { lookAlikeKey } from "../../unicode/skeleton.ts";
import type { Db } from "../db.ts";
import type { Migration } from "./migration.ts";

const BATCH = 200;

/**
 * Makes names unique by their look, too. Of existing names that look alike, the one with the oldest holder keeps the
 * skeleton; the others stay usable without one, and `parley doctor` lists them.
 */
export const nameSkeletons: Migration = {
  name: "0024-name-skeletons",
  async up({ db, columns: c, run }) {
    await run([`alter table names add column skeleton ${c.text}`]);
    const skeletons = new Map<string, string>();
    for (const { name_key, name } of await namesByAge(db)) {
      const skeleton = lookAlikeKey(name);
      if (!skeletons.has(skeleton)) skeletons.set(skeleton, name_key);
    }
    const rows = [...skeletons];
    for (let start = 0; start < rows.length; start += BATCH) await write(db, rows.slice(start, start + BATCH));
    await run(["create unique index names_by_skeleton on names (skeleton)"]);
  },
};

/** The time at which an agent took its name is not stored; it is no earlier than the agent's creation. */
function namesByAge(db: Db): Promise<{ name_key: string; name: string }[]> {
  return db
    .selectFrom("names")
    .leftJoin("users", "users.id", "names.user_id")
    .leftJoin("agents", "agents.id", "names.agent_id")
    .select(["names.name_key", "names.name"])
    .orderBy((eb) => eb.fn.coalesce("users.created_at", "agents.created_at"))
    .orderBy("names.name_key")
    .execute();
}

async function write(db: Db, rows: readonly (readonly [skeleton: string, nameKey: string])[]): Promise<void> {
  const cases = rows.map(([skeleton, key]) => sql`when ${key} then ${skeleton}`);
  await sql`update names set skeleton = case name_key ${sql.join(cases, sql` `)} end
    where name_key in (${sql.join(rows.map(([, key]) => key))})`.execute(db);
}
