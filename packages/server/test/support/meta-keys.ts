import type { Kysely } from "kysely";
import type { Tables } from "../../src/db/tables/tables.ts";

/** Writes a row with this key, which is unique. */
export const put = (db: Kysely<Tables>, key: string) => db.insertInto("meta").values({ key, value: "test" }).execute();

/** Returns the keys of all rows that `put` has written, in their order. */
export async function keys(db: Kysely<Tables>): Promise<string[]> {
  const rows = await db.selectFrom("meta").select("key").where("value", "=", "test").orderBy("key").execute();
  return rows.map((row) => row.key);
}
