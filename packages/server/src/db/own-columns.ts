import { sql } from "kysely";
import type { Db } from "./db.ts";
import { isSqlite } from "./dialect.ts";

/**
 * Returns the names of a table's columns; none if the database has no such table. On PostgreSQL it looks only into the
 * server's own schema: neighbours in the same database may have tables of that name, and drop theirs at any time.
 */
export async function ownColumns(db: Db, table: string): Promise<string[]> {
  const query = isSqlite(db)
    ? sql<{ name: string }>`select name from pragma_table_info(${table})`
    : sql<{ name: string }>`
      select attname as name from pg_attribute join pg_class on pg_class.oid = attrelid
      where relnamespace = current_schema()::regnamespace and relname = ${table} and relkind = 'r'
        and attnum > 0 and not attisdropped`;
  return (await query.execute(db)).rows.map(({ name }) => name);
}
