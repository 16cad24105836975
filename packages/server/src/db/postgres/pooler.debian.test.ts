import { expect, test } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { which } from "bun";
import { cli } from "../../../test/support/cli.ts";
import { temporaryFolder } from "../../../test/support/config.ts";
import { openPlace, POSTGRES_URL } from "../../../test/support/databases.ts";
import { freePort } from "../../../test/support/servers/child-server.ts";
import { eventually } from "../../../test/support/servers/test-server.ts";
import { systemClock } from "../../clock.ts";
import { openDatabase } from "../database.ts";
import { StartupError } from "../startup-error.ts";

const PROGRAM = which("pgbouncer", { PATH: `${process.env.PATH ?? ""}:/usr/sbin` });
const { hostname, port, pathname, username } = new URL(POSTGRES_URL);
const DATABASE = pathname.slice(1);

/** PgBouncer before the PostgreSQL of the tests, with these lines of its settings. */
async function startPooler(lines: readonly string[], onConnect = ""): Promise<AsyncDisposable & { url: string }> {
  const folder = temporaryFolder();
  const own = freePort();
  const file = join(folder, "pgbouncer.ini");
  writeFileSync(
    file,
    [
      "[databases]",
      `${DATABASE} = host=${hostname} port=${port} dbname=${DATABASE} user=${username || "root"} ${onConnect}`,
      "[pgbouncer]",
      "listen_addr = 127.0.0.1",
      `listen_port = ${own}`,
      "auth_type = any",
      "unix_socket_dir =",
      ...lines,
    ].join("\n"),
  );
  chmodSync(folder, 0o755);
  // It does not run as root.
  const asOther = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
  const child = Bun.spawn([PROGRAM ?? "", ...asOther, file], { stdout: "ignore", stderr: "ignore" });
  const isOpen = () =>
    Bun.connect({ hostname: "127.0.0.1", port: own, socket: { data() {} } }).then(
      (socket) => {
        socket.end();
        return true;
      },
      () => false,
    );
  await eventually("PgBouncer listens", isOpen);
  return {
    url: `postgres://${username || "root"}@127.0.0.1:${own}/${DATABASE}`,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

const IGNORING = "ignore_startup_parameters = options,extra_float_digits,statement_timeout,lock_timeout";
const SESSIONS_OF_OTHERS = "connect_query='set parley.options=kept'";

test.each([
  ["in session mode, without the options of connections", ["pool_mode = session"], ""],
  ["in transaction mode", ["pool_mode = transaction"], ""],
  ["in statement mode", ["pool_mode = statement"], ""],
  ["in session mode, ignoring them", ["pool_mode = session", IGNORING], ""],
  ["in transaction mode, ignoring them", ["pool_mode = transaction", IGNORING], ""],
  ["in statement mode, ignoring them", ["pool_mode = statement", IGNORING], ""],
  ["in transaction mode, with the options", ["pool_mode = transaction", IGNORING], SESSIONS_OF_OTHERS],
  ["in statement mode, with the options", ["pool_mode = statement", IGNORING], SESSIONS_OF_OTHERS],
  ["with a single session", ["pool_mode = transaction", "default_pool_size = 1", IGNORING], SESSIONS_OF_OTHERS],
])("a server behind PgBouncer %s is told that it is there, and what to do", async (_, lines, onConnect) => {
  await using place = await openPlace();
  await using pooler = await startPooler(lines, onConnect);
  const url = pooler.url + new URL(place.url).search;
  const opening = openDatabase({ kind: "postgres", url }, systemClock);
  const refusal = await opening.then(
    (opened) => opened[Symbol.asyncDispose]().then(() => expect.unreachable("it started")),
    (error: unknown) => error,
  );
  expect(refusal).toBeInstanceOf(StartupError);
  expect(String(refusal)).toMatch(/connection pooler, such as PgBouncer.*Let DATABASE_URL name PostgreSQL itself/);
  const doctor = await cli(["doctor"], { DATABASE_URL: url, PARLEY_DATA_DIR: temporaryFolder() });
  expect([doctor.code, doctor.out]).toEqual([1, expect.stringContaining("connection pooler, such as PgBouncer")]);
});
