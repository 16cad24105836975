import { expect, test } from "bun:test";
import { writeImport } from "../../src/imports/write/write.ts";
import { cli, cliProcess } from "../support/cli.ts";
import { manyMessages, memoryStage } from "../support/imports/memory-stage.ts";
import { sayId } from "../support/say.ts";
import { eventually, startTestServer } from "../support/servers/test-server.ts";

const SLACK = { format: "slack", fingerprint: "f1" } as const;
const COUNT = 300;

test("an import is listed, opened and undone beside a running server, which shows what it shall", async () => {
  await using server = await startTestServer({ rateLimits: "off" });
  const env = { PARLEY_DATA_DIR: server.config.dataDir };
  const ann = await server.newUser();
  const slugs = async () =>
    (await ann.get("/api/channels")).body.channels.map(({ channel_slug }: { channel_slug: string }) => channel_slug);
  const { importId } = await writeImport(server.ctx, memoryStage(manyMessages(COUNT)), SLACK);
  const id = String(importId);

  const listed = await cli(["import", "list"], env);
  expect(listed.out).toMatch(/^1 {2}slack {2}Acme {2}closed {2}300 messages in 2 channels/);
  const shown = JSON.parse((await cli(["import", "show", id, "--json"], env)).out);
  expect(shown).toMatchObject({ import_id: importId, status: "closed", counts: { users: { taken: 2 } } });
  expect((await cli(["import", "show", id], env)).out).toMatch(/^ {2}users +2$/m);
  expect(await cli(["import", "show", "x"], env)).toMatchObject({ code: 2 });
  expect(await cli(["import", "open", "7"], env)).toMatchObject({
    code: 1,
    err: expect.stringContaining("no import 7"),
  });

  expect(await slugs()).toEqual(["general"]);
  expect(await cliProcess(["import", "open", id], env)).toMatchObject({ code: 0 });
  await eventually("the channels are shown", async () => (await slugs()).length === 3);
  expect(await cliProcess(["import", "open", id], env)).toMatchObject({ code: 0 });

  // Its words are indexed without waiting for the next look at all channels, once a minute.
  const words = "/api/search/messages?q=particular";
  await eventually("its words are found", async () => (await ann.get(words)).body.messages.length === 50);
  await ann.post("/api/channels/c1/join");
  const said = await sayId(ann, "c1", "I was here.");
  const refused = await cliProcess(["import", "undo", id], env);
  expect(refused.err).toContain("cannot be undone");
  expect(refused.code).toBe(1);
  expect(await slugs()).toHaveLength(3);
  await ann.delete(`/api/messages/${said}`);
  expect((await cliProcess(["import", "undo", id], env)).code).toBe(1);
});

test("an import that nobody has used is undone by the command, and its names are free again", async () => {
  await using server = await startTestServer({ rateLimits: "off" });
  const env = { PARLEY_DATA_DIR: server.config.dataDir };
  const { importId } = await writeImport(server.ctx, memoryStage(manyMessages(COUNT)), SLACK);
  expect(await cliProcess(["import", "open", String(importId)], env)).toMatchObject({ code: 0 });
  const { channels } = (await server.guest.get("/api/channels")).body;
  expect(channels).toHaveLength(3);
  const messages = `/api/messages?channel_id=${channels[1].id}`;
  expect((await server.guest.get(messages)).body.messages).not.toEqual([]);
  expect(await cliProcess(["import", "undo", String(importId)], env)).toMatchObject({ code: 0 });
  await eventually("the channel is gone", async () => (await server.guest.get(messages)).status === 404);
  expect((await server.guest.get("/api/channels")).body.channels).toHaveLength(1);
  await server.user("u1");
  const acts = await server.ctx.db.selectFrom("audit_log").select("action").orderBy("id").execute();
  expect(acts.map(({ action }) => action)).toEqual(["import_run", "import_open", "import_undo"]);
});
