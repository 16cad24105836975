import { type Compilable, CompiledQuery, type Kysely, sql } from "kysely";
import type { Tables } from "../../src/db/tables/tables.ts";
import type { BackendName } from "./databases.ts";

/**
 * Returns how the database would run a query, as JSON text. PostgreSQL is kept from reading small tables from end to end
 * and sorting them, which it prefers in a test.
 */
export async function planOf(db: Kysely<Tables>, dialect: BackendName, query: Compilable): Promise<string> {
  const { sql: text, parameters } = query.compile();
  const explain = dialect === "sqlite" ? "explain query plan " : "explain ";
  const { rows } = await db.transaction().execute(async (trx) => {
    if (dialect !== "sqlite") {
      for (const way of ["seqscan", "bitmapscan", "sort"]) await sql.raw(`set local enable_${way} = off`).execute(trx);
    }
    return trx.executeQuery(CompiledQuery.raw(explain + text, [...parameters]));
  });
  return JSON.stringify(rows);
}
