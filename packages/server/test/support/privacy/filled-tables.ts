import { type Kysely, sql } from "kysely";
import type { DataClasses } from "../../../src/db/tables/data-classes.ts";
import type { Tables } from "../../../src/db/tables/tables.ts";

type Db = Kysely<Tables>;
type Value = string | number | Uint8Array | null;
export type Row = Readonly<Record<string, Value>>;

/** A column of the migrated database. */
export interface Column {
  readonly name: string;
  readonly type: "INTEGER" | "TEXT" | "BLOB";
  readonly isKey: boolean;
  readonly isRequired: boolean;
  /** The table of the row that it names; null: any number. */
  readonly of: string | null;
  /** The first of the values that it may have; null: any value. */
  readonly first: string | null;
}

/** Returns the columns of all tables of an SQLite database, except the tables of SQLite and of the search index. */
export async function columnsOf(db: Db): Promise<ReadonlyMap<string, readonly Column[]>> {
  const { rows: tables } = await sql<{ name: string; sql: string }>`
    select name, sql from sqlite_schema
    where type = 'table' and name not like 'sqlite%' and name not like 'message_words%' order by name`.execute(db);
  const all = new Map<string, readonly Column[]>();
  for (const { name, sql: text } of tables) all.set(name, await columnsIn(db, name, text));
  return all;
}

async function columnsIn(db: Db, table: string, text: string): Promise<Column[]> {
  const keys = await sql<{ from: string; table: string }>`
    select "from", "table" from pragma_foreign_key_list(${table})`.execute(db);
  const { rows } = await sql<{ name: string; type: Column["type"]; pk: number; notnull: number }>`
    select name, type, pk, "notnull" from pragma_table_info(${table})`.execute(db);
  return rows.map(({ name, type, pk, notnull }) => ({
    name,
    type,
    isKey: pk > 0,
    isRequired: notnull === 1,
    of: keys.rows.find(({ from }) => from === name)?.table ?? null,
    first: new RegExp(`\\b${name} = '([^']*)'`).exec(text)?.[1] ?? null,
  }));
}

/** Returns all rows of these tables. */
export async function rowsOf(db: Db, tables: Iterable<string>): Promise<Map<string, Row[]>> {
  const all = new Map<string, Row[]>();
  for (const table of tables) all.set(table, (await sql<Row>`select * from ${sql.table(table)}`.execute(db)).rows);
  return all;
}

export interface Filling {
  readonly classes: DataClasses;
  /** The id and the name of the person. */
  readonly person: { readonly id: number; readonly name: string };
  /** The ids of rows that the columns of these names refer to. */
  readonly ids: Readonly<Record<string, number>>;
  /** The values of rows that cannot be guessed, by table: a row for each entry. */
  readonly special: Readonly<Record<string, readonly Row[]>>;
}

/**
 * Adds a row to each empty table, and to those with special rows. It refers to the person wherever it can. Then fills the
 * columns that shall become null or the label, in all rows.
 */
export async function fillTables(db: Db, columns: ReadonlyMap<string, readonly Column[]>, filling: Filling) {
  const done = new Set<string>();
  const fill = async (table: string): Promise<void> => {
    if (done.has(table)) return;
    done.add(table);
    const own = columns.get(table) ?? [];
    for (const { of } of own) if (of !== null) await fill(of);
    const isEmpty = (await sql`select 1 from ${sql.table(table)} limit 1`.execute(db)).rows.length === 0;
    for (const row of filling.special[table] ?? (isEmpty ? [{}] : [])) {
      const entries = await Promise.all(
        own.map(async (column) => [column.name, await cellFor(db, table, own, column, row, filling)] as const),
      );
      // The database numbers the rows.
      const values = entries.filter(([name, value]) => name !== "id" || value !== null);
      await sql`insert into ${sql.table(table)} (${sql.join(values.map(([name]) => sql.ref(name)))})
        values (${sql.join(values.map(([, value]) => value))})`
        .execute(db)
        .catch((cause) => Promise.reject(new Error(`no row for ${table}: ${cause.message}`, { cause })));
    }
  };
  for (const table of columns.keys()) await fill(table);
  for (const [table, { erased, purged }] of Object.entries(filling.classes)) {
    const classes = [erased, typeof purged === "object" ? purged : {}];
    const names = new Set(classes.flatMap((each) => `${each.null ?? ""} ${each.label ?? ""}`.split(/\s+/)));
    for (const column of columns.get(table) ?? []) {
      if (names.has(column.name)) await fillNulls(db, table, column, await cellFor(db, table, [], column, {}, filling));
    }
  }
}

/** Fills a column that is null in all rows. */
async function fillNulls(db: Db, table: string, { name, type }: Column, value: Value): Promise<void> {
  const [into, column] = [sql.table(table), sql.ref(name)];
  // Some columns are unique.
  const filler = value === "1" && type === "TEXT" ? sql`cast(abs(random()) as text)` : value;
  await sql`update ${into} set ${column} = ${filler} where not exists (select 1 from ${into} where ${column} is not null)`.execute(
    db,
  );
}

async function cellFor(
  db: Db,
  table: string,
  columns: readonly Column[],
  column: Column,
  row: Row,
  filling: Filling,
): Promise<Value> {
  const { name, type, of, first } = column;
  const special = row[name];
  if (special !== undefined) return special;
  if (of === "users") return filling.person.id;
  // Most tables have rows of a user or of an agent.
  if (name === "agent_id" && !column.isRequired && columns.some(({ name }) => name === "user_id")) return null;
  const id = filling.ids[name];
  if (id !== undefined) return id;
  if (of !== null) {
    const { rows } = await sql<Row>`select * from ${sql.table(of)} limit 1`.execute(db);
    return Object.values(rows[0] ?? {})[0] ?? null;
  }
  if (name === "id" && type === "INTEGER") return null;
  if (type === "INTEGER") return 1;
  if (type === "BLOB") return new Uint8Array([1]);
  const isLabel = (filling.classes[table]?.erased.label ?? "").split(/\s+/).includes(name);
  return isLabel ? filling.person.name : (first ?? "1");
}
