import { expect, test } from "bun:test";
import { join } from "node:path";
import { cli } from "../support/cli.ts";
import { temporaryFolder } from "../support/config.ts";
import { onPostgres, openMigratedPlace, openPlace } from "../support/databases.ts";
import { startPooler } from "../support/faults/pooler.ts";
import { say } from "../support/say.ts";
import { Client, eventually, startTestServer } from "../support/servers/test-server.ts";

const SESSION_MODE = ["pool_mode = session", "default_pool_size = 40"];

test("a server behind a pooler goes on after PostgreSQL ended all its sessions", async () => {
  await using place = await openMigratedPlace();
  await using pooler = await startPooler(SESSION_MODE);
  const name = `parley_${crypto.randomUUID().slice(0, 8)}`;
  const url = `${pooler.through(place.url)}&application_name=${name}`;
  await using server = await startTestServer({ database: { kind: "postgres", url } });
  const ann = await server.user("ann");
  await say(ann, "general", "before");
  const end = `select pg_terminate_backend(pid) as ended from pg_stat_activity where application_name = '${name}'`;
  expect((await onPostgres(end)).length).toBeGreaterThan(1);
  await eventually("messages are taken again", async () => {
    const { status, body } = await ann.post("/api/messages", { channel_slug: "general", content: "after" });
    if (status !== 201) expect([status, body.code]).toEqual([503, "storage_unavailable"]);
    return status === 201;
  });
  const { messages } = (await ann.get("/api/messages?channel_slug=general")).body;
  expect(messages[0]).toMatchObject({ content: "before" });
  // The lock is taken again, so no second server gets in.
  await eventually("the lock is held", async () => {
    const held = `select 1 from pg_locks l join pg_stat_activity a on a.pid = l.pid
      where a.application_name = '${name}' and l.mode = 'ExclusiveLock' and l.relation is not null and l.granted`;
    return (await onPostgres(held)).length > 0;
  });
});

test("a backup of SQLite is restored, served and exported through a pooler", async () => {
  const dataDir = temporaryFolder();
  const copy = join(temporaryFolder(), "copy.sqlite");
  let credential: Record<string, string>;
  {
    await using server = await startTestServer({
      dataDir,
      database: { kind: "sqlite", path: join(dataDir, "parley.sqlite") },
    });
    const ann = await server.user("ann");
    credential = ann.credential;
    await say(ann, "general", "moved");
    expect((await cli(["backup", copy], { PARLEY_DATA_DIR: dataDir })).code).toBe(0);
  }
  await using place = await openPlace();
  await using pooler = await startPooler(SESSION_MODE);
  const url = pooler.through(place.url);
  expect((await cli(["restore", copy], { DATABASE_URL: url })).code).toBe(0);
  await using server = await startTestServer({ database: { kind: "postgres", url } });
  const { messages } = (await new Client(server.url, credential).get("/api/messages?channel_slug=general")).body;
  expect(messages).toMatchObject([{ content: "moved" }]);
});
