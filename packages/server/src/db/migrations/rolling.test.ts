import { describe, expect, test } from "bun:test";
import {
  type Dialect,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import { systemClock } from "../../clock.ts";
import { columnTypes, type DialectName } from "../columns.ts";
import type { Tables } from "../tables/tables.ts";
import type { Migration } from "./migration.ts";
import { MIGRATIONS } from "./migrations.ts";

/** Migrations after this many run beside nodes of the release before. Version 0.1.0, which has 25, runs alone. */
const ALONE = 25;

const DIALECTS: Record<DialectName, Dialect> = {
  sqlite: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
  postgres: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
};

/** Returns the statements of a migration, without a database. Its own queries find nothing. */
async function statementsOf({ up }: Migration, dialect: DialectName): Promise<string[]> {
  const statements: string[] = [];
  const db = new Kysely<Tables>({ dialect: DIALECTS[dialect], log: ({ query }) => void statements.push(query.sql) });
  const run = async (more: readonly string[]) => void statements.push(...more);
  await up({ db, columns: columnTypes(dialect), clock: systemClock, run });
  return statements.map((statement) => statement.replaceAll(/\s+/g, " ").trim().toLowerCase());
}

const A_TABLE = /^create table (?:if not exists )?"?(\w+)/;
const AN_INDEX = /^create (?:unique )?index \w+ on (\w+)/;
const A_TRIGGER = /^create trigger .* on (\w+)/;
const A_COLUMN = /^alter table \w+ add column \w+ (.*)$/;
const A_CONSTANT = /\bdefault (?:'[^']*'|-?\d+)/;
const A_RULE = /\b(?:unique|primary key|check|generated|constraint)\b/;

/** Returns why a statement could break or delay nodes of the release before; null if it cannot. `made` are new tables. */
function harm(statement: string, made: ReadonlySet<string>): string | null {
  if (A_TABLE.test(statement) || /^(?:insert into|select|create (?:or replace )?function) /.test(statement))
    return null;
  const [, on] = AN_INDEX.exec(statement) ?? A_TRIGGER.exec(statement) ?? [];
  if (on !== undefined) return made.has(on) ? null : "belongs to `indexes`, or needs a floor";
  const [, column] = A_COLUMN.exec(statement) ?? [];
  if (column === undefined) return "needs a floor, and a release that no longer uses what it changes";
  if (A_RULE.test(column)) return "has a rule that rows of the release before may break";
  if (/\bnot null\b/.test(column) && !A_CONSTANT.test(column)) return "needs a constant default, or no `not null`";
  return null;
}

async function harmsOf(step: Migration, dialect: DialectName): Promise<string[]> {
  const statements = await statementsOf(step, dialect);
  const made = new Set(statements.flatMap((statement) => A_TABLE.exec(statement)?.[1] ?? []));
  return statements.flatMap((statement) => {
    const found = harm(statement, made);
    return found === null ? [] : [`${step.name}: ${statement}: ${found}`];
  });
}

const stepOf = (...statements: string[]): Migration => ({ name: "test", up: ({ run }) => run(statements) });

describe.each(["sqlite", "postgres"] as const)("on %s", (dialect) => {
  test("a migration leaves all that the release before it uses, or raises the floor", async () => {
    const rolling = MIGRATIONS.slice(ALONE).filter(({ floor }) => floor === undefined);
    expect(rolling).not.toEqual([]);
    expect((await Promise.all(rolling.map((step) => harmsOf(step, dialect)))).flat()).toEqual([]);
  });

  test.each([
    "drop table users",
    "drop index names_by_skeleton",
    "alter table users rename column email to mail",
    "alter table users drop column email",
    "alter table users alter column email type bytea",
    "alter table users alter column email set not null",
    "alter table users add constraint a_rule check (id > 0)",
    "alter table users add column a bigint not null",
    "alter table users add column a bigint not null default random()",
    "alter table users add column a bigint unique",
    "alter table users add column a bigint check (a > 0)",
    "alter type mood add value 'fine'",
    "create index users_by_a on users (a)",
    "create unique index users_by_a on users (a)",
    "create trigger users_check before insert on users for each row execute function f()",
    "update users set email = null",
    "delete from users",
  ])("refuses: %s", async (statement) => {
    expect(await harmsOf(stepOf("create table other (id bigint)", statement), dialect)).toHaveLength(1);
  });

  test("accepts new tables with their indexes and triggers, and columns that may be absent", async () => {
    const { id, flag, appendOnly, table } = columnTypes(dialect);
    const accepted = [
      `create table other (id ${id}, ${flag("done")}) ${table}`,
      "create unique index other_by_done on other (done)",
      ...appendOnly("other"),
      "alter table users add column a bigint references other (id)",
      "alter table users add column b bigint not null default 0",
    ];
    expect(await harmsOf(stepOf(...accepted), dialect)).toEqual([]);
  });
});

test("a floor is not above the number of the migrations before it", () => {
  // Otherwise the release before could not run beside this one.
  for (const [before, { floor = 0 }] of MIGRATIONS.entries()) expect(floor).toBeLessThanOrEqual(before);
});

test("indexes that are built later are not unique, and each has a name of its own", () => {
  const names = MIGRATIONS.flatMap(({ indexes = [] }) => indexes).map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const { on } of MIGRATIONS.flatMap(({ indexes = [] }) => indexes)) expect(on).toMatch(/^\w+ \(/);
});
