import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cli } from "../support/cli.ts";
import { temporaryFolder } from "../support/config.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { ChildServer, freePort } from "../support/servers/child-server.ts";
import { PASSWORD } from "../support/servers/test-server.ts";

/**
 * A server that cannot start says in one message what is wrong and what to do, and exits with 1 (guarantees P22). These
 * tests run whole processes; the tests beside each source file cover how a refusal is detected.
 */
const REFUSED_MS = 2_000;

const runningFolder = temporaryFolder();
const running = await forAllTests(new ChildServer(runningFolder, freePort()));
await running.start();

interface Refusal {
  dataDir: string;
  port?: number;
  env?: Record<string, string>;
}

async function refusal({ dataDir, port = 0, env = {} }: Refusal): Promise<string> {
  const started = performance.now();
  const child = new ChildServer(dataDir, port, env).spawn();
  const [out, message] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  expect(await child.exited).toBe(1);
  expect(performance.now() - started).toBeLessThan(REFUSED_MS);
  expect(out).toBe("");
  // Matches a stack, or a text of the runtime instead of ours.
  expect(message).not.toMatch(/\n\s+at |unexpected error|node_modules|\.ts:\d/);
  return message;
}

/** Returns what follows the first line of a message with a list. */
const points = (message: string): string[] => message.trim().split("\n").slice(1);

test("the start shows the next steps on a terminal, and how to create an owner only while there is none", async () => {
  const dataDir = temporaryFolder();
  const welcome = async () => {
    await using child = new ChildServer(dataDir, freePort()).spawn();
    let said = "";
    for await (const part of child.stdout.pipeThrough(new TextDecoderStream())) {
      said += part;
      if (said.includes("Ctrl-C stops the server.")) break;
    }
    child.kill("SIGTERM");
    await child.exited;
    return said;
  };
  expect(await welcome()).toMatch(/Next, in another terminal:\n.* owner create <name> .*\n.* key issue/);
  expect((await cli(["owner", "create", "ada"], { PARLEY_DATA_DIR: dataDir }, `${PASSWORD}\n`)).code).toBe(0);
  expect(await welcome()).toMatch(/Next, in another terminal:\n.* key issue/);
});

test("the start is refused on a port in use", async () => {
  const { port } = new URL(running.url);
  const message = await refusal({ dataDir: temporaryFolder(), port: Number(port) });
  expect(message).toBe(
    `Port ${port} on 127.0.0.1 is in use. Stop the program that uses it, or choose another port: PORT=${Number(port) + 1}.\n`,
  );
});

test.each(["no-such-host.invalid", "203.0.113.9"])(
  "the start is refused on a host that is not this machine's: %s",
  async (host) => {
    const dataDir = temporaryFolder();
    const message = await refusal({ dataDir, port: freePort(), env: { HOST: host } });
    expect(message).toStartWith(`HOST is ${host}, which is not an address of this machine.`);
    // Nothing was started.
    expect(readdirSync(dataDir)).toEqual([]);
  },
);

test("the start is refused with another server's data folder, and that server is not disturbed", async () => {
  const message = await refusal({ dataDir: runningFolder });
  expect(message).toContain(`Another Parley server is using ${join(runningFolder, "parley.sqlite")}. Stop it, or`);
  expect(message).toContain("PARLEY_DATA_DIR");
  expect((await fetch(`${running.url}/readyz`)).status).toBe(200);
});

test("the start is refused with a data folder that cannot be created", async () => {
  const file = join(temporaryFolder(), "file");
  writeFileSync(file, "");
  for (const [dataDir, why] of [
    [file, "it is a file, not a folder"],
    [join(file, "data"), "ENOTDIR"],
  ] as const) {
    const message = await refusal({ dataDir });
    expect(message).toStartWith(`The data folder ${dataDir} cannot be written: ${why}`);
    expect(message).toContain("PARLEY_DATA_DIR");
  }
});

test("the start is refused with a folder in place of the file", async () => {
  const dataDir = temporaryFolder();
  mkdirSync(join(dataDir, "parley.sqlite"));
  expect(await refusal({ dataDir })).toStartWith(
    `The database file ${join(dataDir, "parley.sqlite")} cannot be written: `,
  );
});

test("the start is refused with unknown settings, and suggests the right name", async () => {
  const message = await refusal({
    dataDir: temporaryFolder(),
    env: { PARLEY_GUEST_RAED: "true", PARLEY_LOG_LEVEL: "loud" },
  });
  expect(message).toStartWith("The settings are invalid:\n");
  expect(points(message)).toEqual([
    expect.stringContaining("PARLEY_LOG_LEVEL"),
    "  - PARLEY_GUEST_RAED is not a known setting; did you mean PARLEY_GUEST_READ?",
  ]);
});

test("the start is refused in production with everything left open, and lists all problems at once", async () => {
  const dataDir = temporaryFolder();
  chmodSync(dataDir, 0o755);
  const env = { PARLEY_PROFILE: "production", PARLEY_ALLOWED_ORIGINS: "*", PARLEY_RATE_LIMITS: "off" };
  expect(points(await refusal({ dataDir, env })).map((line) => line.split(/[ :]/)[3])).toEqual([
    "PARLEY_PUBLIC_URL",
    "PARLEY_TRUSTED_PROXIES",
    "PARLEY_ALLOWED_ORIGINS",
    "PARLEY_RATE_LIMITS",
    "PARLEY_DATA_DIR",
  ]);
});

test("the start is refused with a database of a newer version, which stays unchanged", async () => {
  const dataDir = temporaryFolder();
  const first = new ChildServer(dataDir, freePort());
  await first.start();
  expect(await first.end("SIGTERM")).toBe(0);
  using database = new Database(join(dataDir, "parley.sqlite"));
  database.run("update meta set value = '99' where key in ('schema', 'schema_floor')");
  expect(await refusal({ dataDir })).toMatch(
    /^The database was made by a newer Parley \(schema 99; this version knows up to \d+\)\. Start the newer version, or/,
  );
  expect(database.query("select value from meta where key = 'schema'").get()).toEqual({ value: "99" });
});

test("the start is refused with a file that is not a database", async () => {
  const dataDir = temporaryFolder();
  const path = join(dataDir, "parley.sqlite");
  writeFileSync(path, "Dear diary, ".repeat(1_000));
  const message = await refusal({ dataDir });
  expect(message).toStartWith(`${path} cannot be used as a database: `);
  expect(message).toContain("restore a backup");
});

test("the start is refused without PostgreSQL, and does not show its password", async () => {
  const env = { DATABASE_URL: `postgres://parley:hunter2@127.0.0.1:${freePort()}/parley` };
  const message = await refusal({ dataDir: temporaryFolder(), env });
  expect(message).toContain("PostgreSQL");
  expect(message).not.toContain("hunter2");
});
