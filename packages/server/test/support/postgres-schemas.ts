import { randomBytes } from "node:crypto";
import pg from "pg";
import type { Clock } from "../../src/clock.ts";
import { openPostgres } from "../../src/db/postgres/postgres.ts";
import { MARKING, type Marked, marksIn, replaceMarks } from "./first-rows.ts";

/** Rows of larger tables are not deleted one by one: each would be looked for in all tables that refer to it. */
const SMALL_BYTES = 64 * 1024;
/** The names of all schemas here begin with it. */
const PREFIX = "parley_kept_";

/** How a PostgreSQL is asked for schemas. */
export interface SchemaSource {
  query<Row>(statement: string, values?: string[]): Promise<{ rows: Row[] }>;
  /** Runs statements in one transaction. */
  run(statements: string): Promise<unknown>;
  /** Creates a schema and migrates it with the clock `MARKING`. */
  migrate(name: string): Promise<void>;
}

/**
 * Migrated schemas that the tests of this process use one after the other, because a migration takes half a second. A
 * schema is emptied before it is used again; one whose tables a test has changed is dropped instead. This process holds
 * an advisory lock on the name of each. Names without a lock are left from processes that have ended, and the next
 * process drops their schemas.
 */
export class Schemas {
  readonly #source: SchemaSource;
  readonly #free: string[] = [];
  /** A schema that no test uses, with the rows of a new database. */
  readonly #template = schemaName();
  #structure = "";
  #marked: readonly Marked[] = [];

  private constructor(source: SchemaSource) {
    this.#source = source;
  }

  static async open(source: SchemaSource): Promise<Schemas> {
    const schemas = new Schemas(source);
    await schemas.#sweep();
    await schemas.#migrate(schemas.#template);
    schemas.#structure = await schemas.#structureOf(schemas.#template);
    schemas.#marked = await schemas.#findMarks();
    return schemas;
  }

  /** Returns the name of a schema with the content of a new database. Give it back with `release`. */
  async take(clock: Clock): Promise<string> {
    const name = this.#free.pop() ?? (await this.#migrate(schemaName()));
    await this.#source.run(replaceMarks(this.#marked, clock, `${name}.`).join(";"));
    return name;
  }

  /** Call it when no session uses the schema any more. */
  async release(name: string): Promise<void> {
    if ((await this.#structureOf(name)) === this.#structure) {
      await this.#empty(name);
      this.#free.push(name);
    } else {
      await this.#drop(name);
    }
  }

  /** The same for servers, which may have been killed: ends the sessions that have this application name. */
  async releaseFrom(name: string): Promise<void> {
    const sessions = "pg_stat_activity where application_name = $1 and pid <> pg_backend_pid()";
    // PostgreSQL waits for the end of each for up to 10 s.
    await this.#rows(`select pg_terminate_backend(pid, 10000) from ${sessions}`, name);
    await this.release(name);
  }

  async #migrate(name: string): Promise<string> {
    await this.#rows("select pg_advisory_lock(hashtextextended($1, 0))", name);
    await this.#source.migrate(name);
    return name;
  }

  async #empty(name: string): Promise<void> {
    const tables = await this.#tables(name);
    const filled = tables.filter(({ bytes }) => bytes > 0);
    const isSmall = filled.every(({ bytes }) => bytes <= SMALL_BYTES);
    const changed = isSmall ? filled : tables;
    const triggers = (act: string) =>
      changed.filter(({ guarded }) => guarded).map(({ table }) => `alter table ${name}.${table} ${act} trigger user`);
    const deletions = filled.map(({ table }, at) => `d${at} as (delete from ${name}.${table})`);
    const statements = [
      ...triggers("disable"),
      // One statement, so that foreign keys are checked when all rows are gone.
      isSmall
        ? `with ${deletions.join(", ")} select`
        : `truncate ${tables.map(({ table }) => `${name}.${table}`).join(", ")}`,
      ...tables
        .filter(({ first }) => first)
        .map(({ table }) => `insert into ${name}.${table} select * from ${this.#template}.${table}`),
      ...triggers("enable"),
    ];
    await this.#source.run(statements.join(";"));
    await this.#rows(RESTART, name, this.#template);
  }

  /** Returns the tables with their size: whether they have triggers of ours, and rows in a new database. */
  #tables(name: string) {
    return this.#rows<{ table: string; bytes: number; guarded: boolean; first: boolean }>(TABLES, name, this.#template);
  }

  /** Drops the schemas of processes that have ended. */
  async #sweep(): Promise<void> {
    const lock = "pg_try_advisory_lock(hashtextextended(nspname, 0))";
    const names = await this.#rows<{ name: string }>(
      `select nspname as name from (select nspname from pg_namespace where starts_with(nspname, '${PREFIX}')) n where ${lock}`,
    );
    for (const { name } of names) await this.#drop(name);
  }

  async #drop(name: string): Promise<void> {
    await this.#source.run(`drop schema if exists ${name} cascade`);
    await this.#rows("select pg_advisory_unlock(hashtextextended($1, 0))", name);
  }

  async #structureOf(name: string): Promise<string> {
    const [row] = await this.#rows<{ structure: string }>(STRUCTURE, name);
    return row?.structure ?? "";
  }

  async #findMarks(): Promise<Marked[]> {
    const marked: Marked[] = [];
    for (const { table, first } of await this.#tables(this.#template)) {
      if (!first) continue;
      const rows = await this.#rows<object>(`select * from ${this.#template}.${table}`);
      marked.push(...rows.flatMap((row) => marksIn(table, row)));
    }
    return marked;
  }

  async #rows<Row>(statement: string, ...values: string[]): Promise<Row[]> {
    return (await this.#source.query<Row>(statement, values)).rows;
  }
}

/** Returns the schemas of this process in a PostgreSQL server. */
export async function schemasOf(url: string, waitMs: number): Promise<Schemas> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: waitMs, types: NUMBERS });
  await client.connect();
  // It must not keep a process alive that has nothing else to do.
  (client as pg.Client & { unref(): void }).unref();
  return Schemas.open({
    query: async <Row>(statement: string, values?: string[]) => ({
      rows: (await client.query(statement, values)).rows as Row[],
    }),
    // The driver sends these at once, and PostgreSQL runs them in one transaction.
    run: (statements) => client.query(statements),
    migrate: async (name) => {
      const { close } = await openPostgres(url, MARKING, { schema: name, poolSize: 1 });
      await close();
    },
  });
}

/** 64-bit integers as numbers. */
const NUMBERS = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    oid === 20 ? Number : pg.types.getTypeParser(oid, format),
} as pg.CustomTypesConfig;

const schemaName = (): string => PREFIX + randomBytes(6).toString("hex");

const TABLES = `
  select relname as table, pg_relation_size(oid) as bytes,
    exists (select from pg_trigger where tgrelid = c.oid and not tgisinternal) as guarded,
    pg_relation_size(to_regclass($2 || '.' || relname)) > 0 as first
  from pg_class c where relnamespace = $1::regnamespace and relkind = 'r'`;

/** Sets the sequences to where they are in the template. */
const RESTART = `
  select setval(c.oid::regclass, coalesce(pg_sequence_last_value(t.oid), 1), pg_sequence_last_value(t.oid) is not null)
  from pg_class c join pg_class t on t.relname = c.relname and t.relkind = 'S' and t.relnamespace = $2::regnamespace
  where c.relnamespace = $1::regnamespace and c.relkind = 'S'
    and pg_sequence_last_value(c.oid) is distinct from pg_sequence_last_value(t.oid)`;

/** The tables, columns, constraints, triggers and functions, without their names and numbers in the catalog. */
const STRUCTURE = `
  with c as (select * from pg_class where relnamespace = $1::regnamespace)
  select md5(string_agg(it, ';' order by it)) as structure from (
    select concat_ws(' ', 'class', relname, relkind, relnatts, relchecks) from c
    union all select concat_ws(' ', 'column', relname, attname, atttypid, attnotnull, atthasdef)
      from c join pg_attribute on attrelid = c.oid where relkind = 'r' and attnum > 0
    union all select concat_ws(' ', 'constraint', relname, conname, contype) from c join pg_constraint on conrelid = c.oid
    union all select concat_ws(' ', 'trigger', relname, tgname, tgenabled) from c join pg_trigger on tgrelid = c.oid
      where not tgisinternal
    union all select concat_ws(' ', 'index', relname, indisvalid, indisunique) from c join pg_index on indexrelid = c.oid
    union all select concat_ws(' ', 'function', proname, md5(prosrc)) from pg_proc
      where pronamespace = $1::regnamespace
  ) parts (it)`;
