import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { Kysely, PostgresDialect, sql } from "kysely";
import pg from "pg";
import { testContext } from "../../../test/support/context.ts";
import { PostgresCluster } from "../../../test/support/faults/postgres-cluster.ts";
import { eventually } from "../../../test/support/servers/test-server.ts";
import { createUser } from "../../accounts/accounts.service.ts";
import { systemClock } from "../../clock.ts";
import { auditLedger } from "../../points/ledger-audit.ts";
import { openDatabase } from "../database.ts";
import { inspectDatabase } from "../inspect.ts";
import { migrate } from "../migrate.ts";
import { MIGRATIONS } from "../migrations/migrations.ts";
import { readSnapshot } from "../snapshot.ts";
import { StartupError } from "../startup-error.ts";
import type { Tables } from "../tables/tables.ts";
import { transact } from "../transact.ts";

/** The schema's number of the last version that put its tables into `public`. */
const FORMER = 20;

describe("Parley's schema in PostgreSQL", () => {
  let cluster: PostgresCluster;
  beforeAll(async () => {
    cluster = await PostgresCluster.start();
    for (const role of ["app", "stranger"]) await cluster.on("postgres", `create role ${role} login`);
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  let databases = 0;
  let name: string;
  beforeEach(async () => {
    name = `chat${++databases}`;
    await cluster.on("postgres", `create database ${name} owner app`);
  });

  const asSuperuser = (statement: string) => cluster.on(name, statement);
  const asApp = (statement: string) => cluster.on(name, statement, "app");
  const asStranger = (statement: string) => cluster.on(name, statement, "stranger");
  const config = (parameters: Record<string, string> = {}) =>
    ({ kind: "postgres", url: cluster.url(name, parameters, "app") }) as const;
  const open = (parameters?: Record<string, string>) => openDatabase(config(parameters), systemClock);
  const asTool = () => openDatabase(config(), systemClock, { mode: "tool" });

  async function refusal(parameters?: Record<string, string>): Promise<string> {
    const error = await open(parameters).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(StartupError);
    return String(error);
  }

  /** Keeps a session open after its first statement while `act` runs. */
  async function during<T>(user: string, statement: string, act: () => Promise<T>): Promise<T> {
    const client = new pg.Client({ connectionString: cluster.url(name, {}, user) });
    await client.connect();
    try {
      await client.query(statement);
      return await act();
    } finally {
      await client.end();
    }
  }

  const relations = async (schema: string): Promise<string[]> => {
    const rows = await asSuperuser(
      `select relname as name from pg_class where relnamespace = (select oid from pg_namespace where nspname = '${schema}') and relkind in ('r', 'v') order by 1`,
    );
    return rows.map((row) => String(row.name));
  };

  describe("strangers in the database", () => {
    test("cannot prevent a start or a migration with advisory locks", async () => {
      // The locks of earlier versions; any role that may connect can take them.
      const locks = `select pg_advisory_lock(727539), pg_advisory_lock(727539, hashtext('public')), pg_advisory_lock(727539, hashtext('parley'))`;
      await during("stranger", locks, async () => {
        await using first = await open();
        expect(first.dialect).toBe("postgres");
        expect(await refusal()).toContain("Another Parley server");
      });
    });

    test("can neither read, lock nor create anything in the schema", async () => {
      await using _server = await open();
      for (const statement of [
        "select * from parley.users",
        "begin; lock table parley.server_hold in access share mode",
        "begin; lock table parley.meta in access share mode",
        "create table parley.mine ()",
        "drop schema parley cascade",
      ])
        await expect(asStranger(statement)).rejects.toThrow(/permission denied|must be owner/);
    });

    test("cannot change what the server's queries mean by objects in other schemas", async () => {
      await asSuperuser("grant create on schema public to public");
      await asStranger("create table public.meta (key text, value text)");
      await asStranger("create table public.users (id int)");
      await asSuperuser(`alter role app in database ${name} set search_path = public, parley`);
      await using server = await open();
      const { rows } = await sql<{ path: string; meta: string }>`
        select current_setting('search_path') as path, 'meta'::regclass::oid::regclass::text as meta`.execute(
        server.db,
      );
      expect(rows).toEqual([{ path: '"parley", pg_temp', meta: "meta" }]);
      const ctx = testContext(server);
      expect((await ctx.db.selectFrom("users").selectAll().execute()).length).toBe(0);
      expect(await relations("public")).toEqual(["meta", "users"]);
      expect(await relations("parley")).toContain("users");
    });

    test("cannot make the server use a schema of theirs", async () => {
      await asSuperuser(`grant create on database ${name} to stranger`);
      await asStranger("create schema parley");
      await asStranger("grant all on schema parley to public");
      expect(await refusal()).toContain('belongs to the role "stranger"');
    });

    test("with the right to create in the schema are named in the error, with the command to run", async () => {
      await asApp("create schema parley");
      await asApp("grant create on schema parley to stranger, public");
      const text = await refusal();
      expect(text).toContain('revoke create on schema parley from "stranger"');
      expect(text).toContain("revoke create on schema parley from PUBLIC");
      await asApp('revoke create on schema parley from "stranger"; revoke create on schema parley from PUBLIC');
      await using _server = await open();
    });
  });

  test("a schema that the URL names is used instead", async () => {
    await using _server = await open({ options: "-c search_path=chat" });
    expect(await relations("chat")).toContain("users");
    expect(await asSuperuser("select 1 from pg_namespace where nspname = 'parley'")).toEqual([]);
  });

  test("a role that cannot create the schema gets the command to run", async () => {
    await asSuperuser(`alter database ${name} owner to postgres`);
    expect(await refusal()).toContain("create schema parley authorization");
    await asSuperuser("create schema parley authorization app");
    await using _server = await open();
  });

  test("the server's lock delays neither vacuum nor the removal of old rows, and outlives the role's time limits", async () => {
    await asSuperuser("alter role app set idle_in_transaction_session_timeout = '3s'");
    await using _server = await open();
    await asSuperuser("alter role app reset idle_in_transaction_session_timeout");
    const holder = () =>
      asSuperuser(`select a.pid, a.backend_xid, a.backend_xmin, now() - a.state_change > interval '4 s' as "isOld"
        from pg_locks l join pg_stat_activity a using (pid) where l.mode = 'ExclusiveLock' and l.locktype = 'relation'`);
    const [before] = await holder();
    expect(before).toMatchObject({ backend_xid: null, backend_xmin: null });
    await eventually(
      "the session has been idle for longer than the role's limit",
      async () => (await holder())[0]?.isOld,
    );
    expect((await holder())[0]?.pid).toBe(before?.pid);
    await asSuperuser("alter system set lock_timeout = '20s'");
    await asSuperuser("select pg_reload_conf()");
    await asSuperuser("vacuum");
  });

  describe("the tables of a version without a schema of its own", () => {
    /** Creates the tables where that version did, with a user, and a row of another program. */
    async function install(schema = "public"): Promise<void> {
      const pool = new pg.Pool({ connectionString: cluster.url(name, {}, "app"), max: 1 });
      const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
      if (schema !== "public") await asApp(`create schema "${schema}"`);
      await migrate(db, "postgres", MIGRATIONS.slice(0, FORMER), systemClock);
      await db.destroy();
      const row = { username: "ann", username_key: "ann", invite_code: "code", created_at: 1, updated_at: 1 };
      const columns = Object.keys(row).join();
      await asApp(
        `insert into "${schema}".users (${columns}) values (${Object.values(row)
          .map((value) => `'${value}'`)
          .join()})`,
      );
      await asApp(`create table "${schema}".other (id int); insert into "${schema}".other values (7)`);
    }

    test("are moved with all rows, and those of other programs stay", async () => {
      await install();
      await asSuperuser("grant create on schema public to public");
      await asStranger("create table public.stickers_of_mine (id int)");
      expect(await inspectDatabase(config())).toMatchObject({ schema: FORMER, epoch: expect.any(String) });
      const names = await readSnapshot(config(), systemClock, (db) =>
        db.selectFrom("users").select("username").execute(),
      );
      expect(names).toEqual([{ username: "ann" }]);
      {
        await using server = await open();
        const ctx = testContext(server);
        expect(await server.db.selectFrom("users").select(["id", "username"]).execute()).toEqual([
          { id: 1, username: "ann" },
        ]);
        const user = { username: "bob", email: null, passwordHash: null, invitedBy: 1, adminLevel: null };
        expect((await transact(ctx, (ctx) => createUser(ctx, user))).id).toBe(2);
        expect((await auditLedger(server.db)).problems).toEqual([]);
        await expect(server.db.deleteFrom("ledger_entries").execute()).rejects.toThrow(/append-only/);
      }
      expect(await relations("public")).toEqual(["other", "stickers_of_mine"]);
      expect(await asApp("select id from public.other")).toEqual([{ id: 7 }]);
      expect(await asSuperuser("select proname from pg_proc where pronamespace = 'public'::regnamespace")).toEqual([]);
      await using _again = await open();
      expect(await inspectDatabase(config())).toMatchObject({ schema: MIGRATIONS.length });
    });

    test("are moved once by programs that start at once", async () => {
      await install();
      const opened = await Promise.all([asTool(), asTool(), asTool(), asTool()]);
      for (const each of opened) {
        expect(await each.db.selectFrom("users").select("username").execute()).toEqual([{ username: "ann" }]);
        await each[Symbol.asyncDispose]();
      }
      expect(await relations("public")).toEqual(["other"]);
    });

    test("are found where the role's search path had put them", async () => {
      await asSuperuser(`alter role app in database ${name} set search_path = "My Chat", public`);
      await install("My Chat");
      expect(await readSnapshot(config(), systemClock, (db) => db.selectFrom("users").select("id").execute())).toEqual([
        { id: 1 },
      ]);
      await using _server = await open();
      expect(await relations("My Chat")).toEqual(["other"]);
    });

    test("are not moved while a server of that version runs; a stranger's lock does not count", async () => {
      await install();
      const lock = "select pg_advisory_lock(727539, hashtext('public'))";
      expect(await during("app", lock, refusal)).toContain("older Parley server");
      expect(await relations("public")).toContain("users");
      await during("stranger", lock, async () => void (await (await open())[Symbol.asyncDispose]()));
      expect(await relations("public")).toEqual(["other"]);
    });
  });

  test("are created once by programs that start at once on an empty database", async () => {
    const opened = await Promise.all([asTool(), asTool(), asTool(), asTool()]);
    for (const each of opened) await each[Symbol.asyncDispose]();
    expect(await inspectDatabase(config())).toMatchObject({ schema: MIGRATIONS.length });
  });
});
