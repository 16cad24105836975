import { expect, test } from "bun:test";
import pg from "pg";
import { openPlace } from "../../../test/support/databases.ts";
import { CutProxy } from "../../../test/support/faults/cut-proxy.ts";
import { eventually } from "../../../test/support/servers/test-server.ts";
import { isUnavailable } from "../database.ts";
import { DeadConnections } from "./dead-connections.ts";

test("a pool gets new connections when the old ones lead nowhere", async () => {
  await using place = await openPlace();
  const { proxy, url } = await CutProxy.to(place.url);
  await using _proxy = proxy;
  const pool = new pg.Pool({ connectionString: url, max: 3 });
  pool.on("error", () => {});
  using connections = new DeadConnections(pool, 2_000);
  connections.start();
  const answer = async () => (await pool.query("select 1 as one")).rows[0].one;
  expect(await Promise.all([answer(), answer(), answer()])).toEqual([1, 1, 1]);
  proxy.strand();
  expect(isUnavailable(await answer().catch((error: unknown) => error))).toBe(true);
  await eventually("the others are closed, too", () => pool.totalCount === 0);
  expect(await Promise.all([answer(), answer(), answer()])).toEqual([1, 1, 1]);
  await pool.end();
});

test("a connection whose queries are answered late, but answered, is kept", async () => {
  await using place = await openPlace();
  const pool = new pg.Pool({ connectionString: place.url, max: 1 });
  using connections = new DeadConnections(pool, 2_000);
  connections.start();
  const session = async () => (await pool.query("select pg_backend_pid() as id from pg_sleep(0.7)")).rows[0].id;
  const first = await session();
  for (let n = 0; n < 4; n++) expect(await session()).toBe(first);
  await pool.end();
});
