import { describe, expect, test } from "bun:test";
import { CompiledQuery, sql } from "kysely";
import { cli } from "../../../test/support/cli.ts";
import { temporaryFolder } from "../../../test/support/config.ts";
import { openPlace } from "../../../test/support/databases.ts";
import { startPooler } from "../../../test/support/faults/pooler.ts";
import { systemClock } from "../../clock.ts";
import { openDatabase } from "../database.ts";
import { readSnapshot } from "../snapshot.ts";
import { StartupError } from "../startup-error.ts";
import { keepStatement } from "../statements/prepared.ts";

const SESSION = "pool_mode = session";
const IGNORING = "ignore_startup_parameters = options,extra_float_digits,statement_timeout,lock_timeout";

const refusalOf = (url: string): Promise<unknown> =>
  openDatabase({ kind: "postgres", url }, systemClock).then(
    (opened) => opened[Symbol.asyncDispose]().then(() => expect.unreachable("it started")),
    (error: unknown) => error,
  );

describe("a server behind PgBouncer", () => {
  test.each([
    ["transaction mode", ["pool_mode = transaction"]],
    ["statement mode", ["pool_mode = statement"]],
    ["transaction mode that ignores parameters", ["pool_mode = transaction", IGNORING]],
    ["transaction mode with a single session", ["pool_mode = transaction", "default_pool_size = 1"]],
    [
      "transaction mode with sessions that take turns",
      ["pool_mode = transaction", "server_round_robin = 1", "min_pool_size = 5"],
    ],
    ["statement mode with sessions that take turns", ["pool_mode = statement", "server_round_robin = 1"]],
  ])("in %s is refused, and told which mode to choose", async (_, lines) => {
    await using place = await openPlace();
    await using pooler = await startPooler(lines);
    const url = pooler.through(place.url);
    const refusal = await refusalOf(url);
    expect(refusal).toBeInstanceOf(StartupError);
    expect(String(refusal)).toMatch(/gives a session to several clients.*Set its pool_mode to session/);
    const doctor = await cli(["doctor"], { DATABASE_URL: url, PARLEY_DATA_DIR: temporaryFolder() });
    expect([doctor.code, doctor.out]).toEqual([1, expect.stringContaining("Set its pool_mode to session")]);
  });

  test.each([
    ["without further settings", [SESSION]],
    ["that ignores parameters of a login", [SESSION, IGNORING]],
    ["that hands sessions on as they are", [SESSION, "server_reset_query ="]],
    ["whose sessions take turns", [SESSION, "server_round_robin = 1", "min_pool_size = 5"]],
  ])("in session mode %s has its settings in every session, also after a restart", async (_, lines) => {
    await using place = await openPlace();
    await using pooler = await startPooler(lines);
    const url = pooler.through(place.url.replace("options=", "options=-c%20work_mem%3D9MB%20"));
    const kept = keepStatement("select count(*) as one from meta where key = $1");
    for (const isShared of [false, false, true]) {
      await using opened = await openDatabase({ kind: "postgres", url }, systemClock, { isShared, poolSize: 5 });
      const settings = sql<{ path: string; jit: string; mem: string; limit: string; count: number }>`
        select current_setting('search_path') as path, current_setting('jit') as jit, current_setting('work_mem') as mem,
          current_setting('statement_timeout') as limit, count(*) as count from users, pg_sleep(0.1)`;
      const read = async (db: typeof opened.db) => (await settings.execute(db)).rows[0];
      const path = `"${/search_path%3D(\w+)/.exec(place.url)?.[1]}", pg_temp`;
      const all = await Promise.all([1, 2, 3, 4, 5].map(() => read(opened.db)));
      for (const row of all) expect(row).toEqual({ path, jit: "off", mem: "9MB", limit: "10s", count: 0 });
      if (opened.vital !== undefined) expect(await read(opened.vital)).toMatchObject({ path, limit: "2s" });
      const many = Array.from({ length: 10 }, () => opened.db.executeQuery(CompiledQuery.raw(kept, ["epoch"])));
      for (const { rows } of await Promise.all(many)) expect(rows).toEqual([{ one: 1 }]);
    }
  });

  test("in session mode keeps the lock that allows one server", async () => {
    await using place = await openPlace();
    await using pooler = await startPooler([SESSION, "default_pool_size = 40"]);
    const url = pooler.through(place.url);
    {
      await using _first = await openDatabase({ kind: "postgres", url }, systemClock);
      expect(String(await refusalOf(url))).toContain("Another Parley server is using PostgreSQL");
      // Past the pooler, too.
      expect(String(await refusalOf(place.url))).toContain("Another Parley server is using PostgreSQL");
    }
    await using _second = await openDatabase({ kind: "postgres", url }, systemClock);
  });

  test("in session mode reads a snapshot, and doctor says that a pooler is there", async () => {
    await using place = await openPlace();
    await using pooler = await startPooler([SESSION]);
    const url = pooler.through(place.url);
    await using _server = await openDatabase({ kind: "postgres", url }, systemClock);
    const isolation = sql<{ level: string }>`select current_setting('transaction_isolation') as level`;
    const { rows } = await readSnapshot({ kind: "postgres", url }, systemClock, (db) => isolation.execute(db));
    expect(rows).toEqual([{ level: "repeatable read" }]);
    const doctor = await cli(["doctor"], { DATABASE_URL: url, PARLEY_DATA_DIR: temporaryFolder() });
    expect(doctor.out).toContain("pooler: a connection pooler is before the database");
    expect(doctor.out).toContain("it must allow 11 sessions for each server");
    expect(doctor.code).toBe(0);
  });

  test("that has fewer sessions than the server may use is refused, with both numbers", async () => {
    await using place = await openPlace();
    await using pooler = await startPooler([SESSION, "default_pool_size = 6"]);
    const url = pooler.through(place.url);
    expect(String(await refusalOf(url))).toContain(
      "had 6 free sessions, and this server needs 11. Raise its limits (default_pool_size",
    );
    await using _small = await openDatabase({ kind: "postgres", url }, systemClock, { poolSize: 5 });
  });

  test("that has no session for a second client is refused, and told so", async () => {
    await using place = await openPlace();
    await using pooler = await startPooler([SESSION, "default_pool_size = 1"]);
    const refusal = await refusalOf(pooler.through(place.url));
    expect(refusal).toBeInstanceOf(StartupError);
    expect(String(refusal)).toContain("raise its default_pool_size");
  });
});
