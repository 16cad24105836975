import { type Kysely, PostgresAdapter, sql } from "kysely";
import type { Tables } from "../../src/db/tables/tables.ts";

/** Returns every value of every column of every table, as text, including tables that are added later. */
export async function dump(db: Kysely<Tables>): Promise<{ table: string; column: string; text: string }[]> {
  const cells: { table: string; column: string; text: string }[] = [];
  for (const table of await tablesOf(db)) {
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(table)}`.execute(db);
    for (const row of rows) {
      for (const [column, value] of Object.entries(row)) cells.push({ table, column, text: textOf(value) });
    }
  }
  return cells;
}

/**
 * Returns the tables in the schema of this suite. The list of Kysely covers all schemas and fails while another suite
 * drops one.
 */
async function tablesOf(db: Kysely<Tables>): Promise<string[]> {
  const list =
    db.getExecutor().adapter instanceof PostgresAdapter
      ? sql<{ name: string }>`select tablename as name from pg_tables where schemaname = current_schema()`
      : sql<{ name: string }>`select name from sqlite_schema where type = 'table'`;
  return (await list.execute(db)).rows.map(({ name }) => name);
}

function textOf(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("latin1");
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
