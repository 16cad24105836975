import { expect, test } from "bun:test";
import {
  copyFileSync,
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { cli, cliProcess } from "../support/cli.ts";
import { temporaryFolder } from "../support/config.ts";
import { ChildServer, freePort } from "../support/servers/child-server.ts";
import { Client } from "../support/servers/test-server.ts";

test("a backup made beside a running server restores its state under a new epoch", async () => {
  const dataDir = temporaryFolder();
  const env = { PARLEY_DATA_DIR: dataDir };
  const copy = join(temporaryFolder(), "copy.sqlite");
  const server = new ChildServer(dataDir, freePort());
  await server.start();
  const key = JSON.parse((await cliProcess(["key", "issue", "--agent", "bot", "--json"], env)).out).api_key;
  const agent = new Client(server.url, { authorization: `Bearer ${key}` });
  const say = (message: string) =>
    agent.post("/api/agenthub/send", { channel_slug: "general", message, agent_name: "bot" });
  expect((await say("before")).status).toBe(201);

  const saved = JSON.parse((await cliProcess(["backup", copy, "--json"], env)).out);
  expect(saved).toEqual({
    file: copy,
    bytes: statSync(copy).size,
    schema: expect.any(Number),
    epoch: expect.any(String),
  });
  expect(statSync(copy).mode & 0o077).toBe(0);
  expect((await say("after")).status).toBe(201);

  const refused = await cliProcess(["restore", copy], env);
  expect(refused).toMatchObject({ code: 1, out: "" });
  expect(refused.err).toContain("Stop it, then restore");
  const link = join(temporaryFolder(), "link.sqlite");
  symlinkSync(join(dataDir, "parley.sqlite"), link);
  const byLink = await cliProcess(["restore", copy], { ...env, DATABASE_URL: `sqlite:${link}` });
  expect(byLink.err).toContain("Stop it, then restore");
  expect(await server.end("SIGTERM")).toBe(0);

  const restored = JSON.parse((await cliProcess(["restore", copy, "--json"], env)).out);
  expect(restored.epoch).not.toBe(saved.epoch);
  expect(existsSync(restored.kept)).toBe(true);
  await server.start();
  const { body } = await agent.get("/api/agenthub/messages?channel_slug=general");
  expect(body.messages.map((message: { content: string }) => message.content)).toEqual(["before"]);
  await server.end("SIGTERM");

  // The database that was set aside is complete: it contains the message sent after the backup.
  const back = await cliProcess(["restore", restored.kept, "--json"], env);
  expect(back.code).toBe(0);
  await server.start();
  const again = await agent.get("/api/agenthub/messages?channel_slug=general");
  expect(again.body.messages).toHaveLength(2);
  await server.end("SIGTERM");
});

test("a backup never overwrites a file", async () => {
  const env = { PARLEY_DATA_DIR: temporaryFolder() };
  await cli(["migrate"], env);
  const file = join(temporaryFolder(), "precious");
  writeFileSync(file, "precious");
  const { code, err } = await cli(["backup", file], env);
  expect(code).toBe(1);
  expect(err).toContain("already exists");
  expect(readFileSync(file, "utf8")).toBe("precious");
});

test.each([
  ["is not a database", (path: string) => writeFileSync(path, "hello ".repeat(1000)), "cannot be read as a database"],
  ["does not exist", () => {}, "There is no file"],
  ["is empty", (path: string) => writeFileSync(path, ""), "is not a Parley database"],
])("restoring a file that %s is refused, and the database does not change", async (_, make, text) => {
  const dataDir = temporaryFolder();
  const env = { PARLEY_DATA_DIR: dataDir };
  const { epoch } = JSON.parse((await cli(["migrate", "--json"], env)).out);
  const file = join(temporaryFolder(), "bad");
  make(file);
  const { code, err } = await cliProcess(["restore", file], env);
  expect(code).toBe(1);
  expect(err).toContain(text);
  expect(JSON.parse((await cli(["migrate", "--json"], env)).out).epoch).toBe(epoch);
  expect(readdirSync(dataDir).filter((name) => name.includes("restor"))).toEqual([]);
});

test("a backup can be restored on a machine without a data folder", async () => {
  const copy = join(temporaryFolder(), "copy.sqlite");
  const old = { PARLEY_DATA_DIR: temporaryFolder() };
  await cli(["migrate"], old);
  expect((await cli(["backup", copy], old)).code).toBe(0);
  const folder = join(temporaryFolder(), "not/yet");
  const { code, out } = await cliProcess(["restore", copy], { PARLEY_DATA_DIR: folder });
  expect([code, out]).toEqual([0, expect.stringContaining(`${folder}/parley.sqlite is restored from`)]);
  expect([folder, join(folder, "parley.sqlite")].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600]);
});

test("an impossible target is reported without an internal error", async () => {
  const env = { PARLEY_DATA_DIR: temporaryFolder() };
  const file = join(temporaryFolder(), "file");
  writeFileSync(file, "");
  await cli(["migrate"], env);
  const copy = join(temporaryFolder(), "copy.sqlite");
  await cli(["backup", copy], env);
  const saved = await cli(["backup", join(file, "copy.sqlite")], env);
  expect([saved.code, saved.err]).toEqual([1, expect.stringMatching(/^The backup could not be written: ENOTDIR/)]);
  const away = join(temporaryFolder(), "away");
  const missed = await cli(["backup", join(away, "copy.sqlite")], env);
  expect([missed.code, missed.err]).toEqual([1, `There is no folder ${away}. Create it first.\n`]);
  const nowhere = { PARLEY_DATA_DIR: join(file, "data") };
  const restored = await cliProcess(["restore", copy], nowhere);
  expect([restored.code, restored.err]).toEqual([1, expect.stringMatching(/^The data folder .* cannot be created: /)]);
  const production = {
    ...nowhere,
    PARLEY_PROFILE: "production",
    PARLEY_PUBLIC_URL: "https://chat.example.org",
    PARLEY_TRUSTED_PROXIES: "none",
  };
  expect((await cli(["migrate"], production)).err).toMatch(/^The data folder .* cannot be written: ENOTDIR/);
});

test.each<[string, (database: string, folder: string) => string]>([
  ["the database itself", (database) => database],
  [
    "a link to it",
    (database, folder) => {
      symlinkSync(database, join(folder, "link"));
      return join(folder, "link");
    },
  ],
  [
    "another name of it",
    (database, folder) => {
      linkSync(database, join(folder, "name"));
      return join(folder, "name");
    },
  ],
  [
    "the draft of a restore",
    (database) => {
      copyFileSync(database, `${database}.restoring`);
      return `${database}.restoring`;
    },
  ],
])("restoring %s is refused, and nothing changes", async (_, make) => {
  const dataDir = temporaryFolder();
  const env = { PARLEY_DATA_DIR: dataDir };
  const { epoch } = JSON.parse((await cli(["migrate", "--json"], env)).out);
  const file = make(join(dataDir, "parley.sqlite"), temporaryFolder());
  const { code, err } = await cliProcess(["restore", file], env);
  expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining("is not a backup of it") });
  expect(existsSync(file)).toBe(true);
  expect(JSON.parse((await cli(["migrate", "--json"], env)).out).epoch).toBe(epoch);
  expect(readdirSync(dataDir).filter((name) => name.includes("before-restore"))).toEqual([]);
});
