import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { backupName, listBackups } from "../../src/operations/backups/backup-files.ts";
import { cliProcess } from "../support/cli.ts";
import { temporaryFolder } from "../support/config.ts";
import { ChildServer, freePort } from "../support/servers/child-server.ts";
import { Client, eventually, signUp } from "../support/servers/test-server.ts";

const HOUR = 60 * 60_000;

async function metric(server: ChildServer, name: string): Promise<number | null> {
  const { body } = await new Client(server.url).get("/metrics");
  const [, value] = new RegExp(`^${name} (\\S+)$`, "m").exec(String(body)) ?? [];
  return value === undefined ? null : Number(value);
}

const drafts = (folder: string) => readdirSync(folder).filter((name) => name.startsWith(".draft-"));

const allFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));

async function sendFile(client: Client, text: string): Promise<void> {
  const form = new FormData();
  form.append("file", new File([text], `${text}.txt`, { type: "text/plain" }));
  const { status, body } = await client.post("/api/files", undefined, { raw: form });
  expect(status).toBe(201);
  const sent = await client.post("/api/messages", { channel_slug: "general", file_ids: [body.file.file_id] });
  expect(sent.status).toBe(201);
}

const firstBackup = (folder: string) =>
  eventually("there is a backup", async () => (existsSync(folder) ? listBackups(folder)[0] : undefined), 30_000);

function scene(home: string, env: Record<string, string> = {}) {
  const backups = join(home, "backups");
  const data = join(home, "data");
  return {
    backups,
    data,
    server: new ChildServer(data, freePort(), { PARLEY_BACKUP_DIR: backups, ...env }),
    env: { PARLEY_DATA_DIR: data, PARLEY_BACKUP_DIR: backups },
  };
}

describe("scheduled backups", () => {
  test("a server makes one under load, and restoring it gives every message sent before and sound sums", async () => {
    const home = temporaryFolder();
    const { server, backups, env } = scene(home);
    await using _ = server;
    await server.start();
    const ann = await signUp(server.url, "ann");
    rmSync((await firstBackup(backups)).path);
    const acked: number[] = [];
    const send = async () => {
      const { status, body } = await ann.post("/api/messages", { channel_slug: "general", content: "hello" });
      expect(status).toBe(201);
      acked.push(body.seq);
    };
    for (let n = 0; n < 20; n += 1) await send();
    const before = acked.length;
    // A server that finds no backup makes one at once.
    await server.end("SIGTERM");
    await server.start();
    let isDone = false;
    const sending = (async () => {
      while (!isDone) await send();
    })();
    const made = await firstBackup(backups);
    isDone = true;
    await sending;

    expect(await metric(server, "parley_backup_failures_total")).toBe(0);
    expect(await metric(server, "parley_backup_bytes")).toBe(statSync(made.path).size);
    expect(await metric(server, "parley_backup_age_seconds")).toBeLessThan(60);
    expect(statSync(made.path).mode & 0o777).toBe(0o600);
    expect(statSync(backups).mode & 0o777).toBe(0o700);
    await eventually("no draft is left", async () => drafts(backups).length === 0);

    const listed = await cliProcess(["backup", "list", "--json"], env);
    expect(JSON.parse(listed.out).backups).toEqual([
      { file: made.path, begun_at: new Date(made.at).toISOString(), bytes: statSync(made.path).size },
    ]);
    await server.end("SIGKILL");
    const restored = await cliProcess(["restore", made.path], env);
    expect(restored.err).toBe("");
    await server.start();
    const { body } = await ann.get("/api/messages?channel_id=general&limit=200&after_seq=0");
    const seqs = body.messages.map(({ seq }: { seq: number }) => seq);
    expect(seqs.length).toBeGreaterThanOrEqual(Math.min(before, 200));
    expect(seqs).toEqual(seqs.map((_: number, at: number) => seqs[0] + at));
    const checked = await cliProcess(["doctor", "--json"], env);
    expect(checked.out).not.toContain('"problem"');
  });

  test("a backup that is due deletes old ones only after it is verified", async () => {
    const home = temporaryFolder();
    const { server, backups } = scene(home);
    await using _ = server;
    mkdirSync(backups, { recursive: true });
    const now = Date.now();
    const old = Array.from({ length: 30 }, (_, n) => backupName(now - (n + 1) * HOUR));
    for (const name of old) writeFileSync(join(backups, name), "an older backup");
    writeFileSync(join(backups, "notes.txt"), "not ours");
    writeFileSync(join(backups, ".draft-parley-2026-01-01T00-00-00Z.sqlite"), "left by a crash");
    await server.start();
    await eventually("there is a new backup", async () => (listBackups(backups)[0]?.at ?? 0) >= now - 1_000, 30_000);
    await eventually("the old ones are gone", async () => listBackups(backups).length < 30);
    const kept = listBackups(backups).map(({ path }) => path);
    for (const name of old.slice(0, 23)) expect(kept).toContain(join(backups, name));
    expect(kept.length).toBeLessThanOrEqual(25);
    expect(existsSync(join(backups, "notes.txt"))).toBe(true);
    expect(drafts(backups)).toEqual([]);
  });

  test("a folder that vanishes fails the backup, and the server goes on", async () => {
    const home = temporaryFolder();
    const { server, backups } = scene(home);
    await using _ = server;
    await server.start();
    await eventually("a backup has begun", async () => existsSync(backups) && drafts(backups).length > 0, 30_000);
    rmSync(backups, { recursive: true });
    writeFileSync(backups, "a file in its place");
    await eventually(
      "the failure is counted",
      async () => (await metric(server, "parley_backup_failures_total")) === 1,
      30_000,
    );
    const ann = await signUp(server.url, "ann");
    expect((await ann.post("/api/messages", { channel_slug: "general", content: "still here" })).status).toBe(201);
  });

  test("a file that lost its bytes is counted, and the database and the other files are backed up", async () => {
    const home = temporaryFolder();
    const { server, backups, data, env } = scene(home);
    await using _ = server;
    await server.start();
    const ann = await signUp(server.url, "ann");
    await sendFile(ann, "kept");
    const stored = allFiles(join(data, "files"));
    await sendFile(ann, "lost");
    const [lost] = allFiles(join(data, "files")).filter((path) => !stored.includes(path));
    await eventually("there is a backup", async () => (await metric(server, "parley_backup_bytes")) !== null, 30_000);
    await server.end("SIGTERM");
    rmSync(lost ?? "");
    rmSync(backups, { recursive: true });
    await server.start();
    await eventually(
      "the failure is counted",
      async () => (await metric(server, "parley_backup_failures_total")) === 1,
      30_000,
    );
    const [made] = listBackups(backups);
    expect((await cliProcess(["backup", "verify", made?.path ?? ""], env)).code).toBe(0);
    expect(await metric(server, "parley_backup_bytes")).toBe(statSync(made?.path ?? "").size);
    expect(allFiles(join(backups, "files"))).toHaveLength(1);
  });

  test("a server that is killed meanwhile leaves no file that looks like a backup", async () => {
    const home = temporaryFolder();
    const { server, backups } = scene(home);
    await using _ = server;
    await server.start();
    await eventually("a backup has begun", async () => existsSync(backups) && drafts(backups).length > 0, 30_000);
    await server.end("SIGKILL");
    // The command of the killed server may still run, but nobody gives its copy a name.
    expect(listBackups(backups).length).toBeLessThanOrEqual(1);
    await server.start();
    const made = await firstBackup(backups);
    const verified = await cliProcess(["backup", "verify", made.path], {});
    expect(verified.out).toContain("is sound");
  });

  test("the setting is refused with PostgreSQL, for the data folder, and for a folder that cannot be made", async () => {
    const home = temporaryFolder();
    const refused = async (env: Record<string, string>) => {
      const { code, err } = await cliProcess(["serve"], {
        PARLEY_DATA_DIR: join(home, "data"),
        PORT: "0",
        ...env,
      });
      expect(code).toBe(1);
      return err;
    };
    expect(await refused({ PARLEY_BACKUP_DIR: "/tmp/x", DATABASE_URL: "postgres://u:p@127.0.0.1/db" })).toContain(
      "pg_dump",
    );
    expect(await refused({ PARLEY_BACKUP_DIR: join(home, "data") })).toContain("must not be the data folder");
    writeFileSync(join(home, "file"), "");
    expect(await refused({ PARLEY_BACKUP_DIR: join(home, "file", "backups") })).toContain("cannot be used");
  });
});

describe("backup verify", () => {
  test("refuses a damaged backup and one with a wrong ledger, and leaves nothing behind", async () => {
    const home = temporaryFolder();
    const { server, backups, env } = scene(home);
    await using _ = server;
    await server.start();
    await signUp(server.url, "ann");
    await server.end("SIGTERM");
    const file = join(home, "copy.sqlite");
    expect((await cliProcess(["backup", file], env)).code).toBe(0);
    expect((await cliProcess(["backup", "verify", file], env)).code).toBe(0);
    {
      using database = new Database(file);
      database.run("insert into ledger_balances (account, currency, balance) values ('user:999', 'points', 5)");
    }
    const wrong = await cliProcess(["backup", "verify", file], env);
    expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining("its ledger is wrong")]);
    writeFileSync(file, "not a database at all");
    const damaged = await cliProcess(["backup", "verify", file], env);
    expect([damaged.code, damaged.err]).toEqual([1, expect.stringContaining("cannot be read as a database")]);
    expect(drafts(home)).toEqual([]);
    expect(backups).toBeString();
  });
});
