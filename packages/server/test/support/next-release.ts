import type { Migration } from "../../src/db/migrations/migration.ts";
import { MIGRATIONS } from "../../src/db/migrations/migrations.ts";

const KNOWN = MIGRATIONS.length;

/** Additions with data, and indexes of a table in use. */
const ADDITIONS: Migration = {
  name: "9001-additions",
  async up({ db, run, columns: c }) {
    await run([
      `create table probes (id ${c.id}, name ${c.text} not null) ${c.table}`,
      "insert into probes (name) values ('one')",
      `alter table users add column probe_id ${c.integer} references probes (id)`,
    ]);
    await db.insertInto("meta").values({ key: "probe", value: "1" }).execute();
  },
  indexes: [
    { name: "users_by_probe", on: "users (probe_id)" },
    { name: "users_by_age", on: "users (created_at, id)" },
  ],
};

/** Removes what this release uses. */
const REMOVAL: Migration = {
  name: "9002-removal",
  floor: KNOWN + 1,
  up: ({ run }) => run(["drop table sticker_files", "insert into probes (name) values ('two')"]),
};

/**
 * Gives this process the migrations of a later release: of the next one, which only adds, or of the one after it, which
 * also removes. Call it before the database is opened, in a process of its own.
 */
export function becomeNextRelease({ removes = true } = {}): void {
  (MIGRATIONS as Migration[]).push(ADDITIONS, ...(removes ? [REMOVAL] : []));
}
