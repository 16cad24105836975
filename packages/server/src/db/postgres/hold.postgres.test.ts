import { describe, expect, test } from "bun:test";
import pg from "pg";
import { onPostgres, openPlace } from "../../../test/support/databases.ts";
import { eventually } from "../../../test/support/servers/test-server.ts";
import { systemClock } from "../../clock.ts";
import { openDatabase } from "../database.ts";
import { StartupError } from "../startup-error.ts";
import { LOCK } from "./hold.ts";

/** Returns the sessions that hold or wait for this database's lock, according to PostgreSQL. */
async function sessions(url: string, granted: boolean): Promise<number[]> {
  const rows = await onPostgres(
    `select pid from pg_locks where mode = 'ExclusiveLock' and granted = ${granted}
     and relation = 'server_hold'::regclass`,
    url,
  );
  return rows.map(({ pid }) => Number(pid));
}

describe("the server lock in PostgreSQL", () => {
  test("is held by one server; the next one is refused and gets it when the first is gone", async () => {
    await using place = await openPlace();
    const config = { kind: "postgres", url: place.url } as const;
    const first = await openDatabase(config, systemClock);
    const refusal = await openDatabase(config, systemClock).catch((error) => error);
    expect(refusal).toBeInstanceOf(StartupError);
    expect(refusal.message).toMatch(/^Another Parley server is using PostgreSQL at .*DATABASE_URL/);
    expect(refusal.message).not.toContain("@");
    await using _tool = await openDatabase(config, systemClock, { mode: "tool" });
    await first[Symbol.asyncDispose]();
    await using _next = await openDatabase(config, systemClock);
  });

  test("is shared by the nodes of a cluster, which refuse a lone server and are refused by it", async () => {
    await using place = await openPlace();
    const config = { kind: "postgres", url: place.url } as const;
    const nodes = [
      await openDatabase(config, systemClock, { isShared: true }),
      await openDatabase(config, systemClock, { isShared: true }),
    ];
    const alone = await openDatabase(config, systemClock).catch((error) => error);
    expect(alone).toBeInstanceOf(StartupError);
    expect(alone.message).toMatch(/^The nodes of a Parley cluster are using PostgreSQL at .*Set REDIS_URL/);
    for (const node of nodes) await node[Symbol.asyncDispose]();

    await using _lone = await openDatabase(config, systemClock);
    const refused = await openDatabase(config, systemClock, { isShared: true }).catch((error) => error);
    expect(refused).toBeInstanceOf(StartupError);
    expect(refused.message).toMatch(/^A Parley server without REDIS_URL is using PostgreSQL at .*Stop it/);
  });

  test("is taken again after the connection was lost", async () => {
    await using place = await openPlace();
    const config = { kind: "postgres", url: place.url } as const;
    let lost = 0;
    await using _server = await openDatabase(config, systemClock, { onFatal: () => lost++ });
    const [before] = await sessions(place.url, true);
    await onPostgres(`select pg_terminate_backend(${before})`);
    const [after] = await eventually(
      "it is held again",
      async () => {
        const now = await sessions(place.url, true);
        return now.length === 1 && now[0] !== before ? now : null;
      },
      20_000,
    );
    expect(after).toBeNumber();
    expect(lost).toBe(0);
  });

  test("ends a server that lost it to another server, in time", async () => {
    await using place = await openPlace();
    const config = { kind: "postgres", url: place.url } as const;
    let ahead = 0;
    const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + ahead };
    const told = Promise.withResolvers<unknown>();
    await using _loser = await openDatabase(config, clock, { onFatal: told.resolve });
    const [pid] = await sessions(place.url, true);
    // Waits for the lock to be next to get it, for as long as it takes; no server waits that long.
    const winner = new pg.Client({ connectionString: place.url });
    await winner.connect();
    await using _ = { [Symbol.asyncDispose]: () => winner.end() };
    const taken = winner.query(LOCK);
    await eventually("it waits", async () => (await sessions(place.url, false)).length > 0, 20_000);
    await onPostgres(`select pg_terminate_backend(${pid})`);
    await taken;
    const passing = setInterval(() => (ahead += 30_000), 200);
    const error = await told.promise.finally(() => clearInterval(passing));
    expect(String(error)).toContain("Another Parley server");
  });
});
