import { sql } from "kysely";
import { systemClock } from "../../../src/clock.ts";
import type { OpenDatabase } from "../../../src/db/database.ts";
import { openPostgres } from "../../../src/db/postgres/postgres.ts";
import { type BackendName, CONNECTION_MS, POSTGRES_URL } from "../databases.ts";

/**
 * Opens further connections to a database of `eachDatabase`, as other nodes would. Returns none unless the database is
 * PostgreSQL: the others have only one connection, so the race cannot happen there.
 */
export async function moreConnections(
  name: BackendName,
  { db }: OpenDatabase,
  count: number,
): Promise<AsyncDisposable & { list: OpenDatabase[] }> {
  const list: OpenDatabase[] = [];
  if (name === "postgres") {
    const { rows } = await sql<{ schema: string }>`select current_schema() as schema`.execute(db);
    const options = { schema: rows[0]?.schema ?? "", poolSize: count, waitMs: CONNECTION_MS };
    const opened = await openPostgres(POSTGRES_URL, systemClock, options);
    list.push({ db: opened.db, dialect: "postgres", [Symbol.asyncDispose]: opened.close });
  }
  return {
    list,
    [Symbol.asyncDispose]: async () => {
      for (const open of list) await open[Symbol.asyncDispose]();
    },
  };
}
