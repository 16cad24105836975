import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { cli, cliProcess } from "../support/cli.ts";
import { temporaryFolder } from "../support/config.ts";
import { onPostgres, openPlace } from "../support/databases.ts";
import { stillGif } from "../support/gifs.ts";
import { Client, eventually, startTestServer, type TestServer } from "../support/servers/test-server.ts";
import { newSticker } from "../support/stickers.ts";

/** From a SQLite file into PostgreSQL, with a backup. */
describe("a backup of SQLite in PostgreSQL", () => {
  const copy = join(temporaryFolder(), "copy.sqlite");
  const credentials = new Map<string, Record<string, string>>();
  let answers: Map<string, unknown>;
  let epoch: string;

  /** Returns everything that was written, as each user reads it. */
  async function readAll(server: TestServer): Promise<Map<string, unknown>> {
    const read = new Map<string, unknown>();
    for (const [who, path] of [
      ["ann", "/api/user/ann"],
      ["ann", "/api/user/ann/points"],
      ["ann", "/api/channels"],
      ["bob", "/api/messages?channel_id=general"],
      ["bob", "/api/channels/1/members"],
      ["bob", "/api/stickers?username=ann"],
      ["bob", "/api/stickers/1/file"],
      ["bob", "/api/red-packets/1"],
      ["bot", "/api/agenthub/mentions?mark_read=false"],
    ] as const) {
      const { status, body } = await new Client(server.url, credentials.get(who)).get(path);
      expect([path, status]).toEqual([path, 200]);
      // The fence of `rendered` is random in every response.
      const withoutFences = JSON.stringify(body, (key, value) => (key === "rendered" ? undefined : value));
      read.set(`${who} ${path}`, body === undefined ? body : JSON.parse(withoutFences));
    }
    return read;
  }

  beforeAll(async () => {
    const dataDir = temporaryFolder();
    await using server = await startTestServer({
      dataDir,
      database: { kind: "sqlite", path: join(dataDir, "parley.sqlite") },
    });
    const [ann, bob, bot] = [await server.user("ann"), await server.user("bob"), await server.agent("Bot")];
    for (const [name, { credential }] of Object.entries({ ann, bob, bot })) credentials.set(name, credential);
    const { sticker_id } = await newSticker(ann, stillGif(2, 3, "moved"));
    for (const body of [{ content: "größer, @Bot 東京都 👍" }, { content: "", sticker_id }, { content: "deleted" }]) {
      expect((await ann.post("/api/messages", { channel_slug: "general", ...body })).status).toBe(201);
    }
    expect((await ann.delete("/api/messages/3")).status).toBe(200);
    expect((await bob.put("/api/messages/1/reactions/like")).status).toBe(200);
    expect((await ann.post("/api/red-packets", { channel_slug: "general", total_amount: "9", count: 3 })).status).toBe(
      201,
    );
    expect((await bob.post("/api/red-packets/1/claim", {})).status).toBe(200);
    expect((await ann.post("/api/channels", { name: "General" })).status).toBe(201);
    answers = await readAll(server);
    epoch = server.ctx.epoch;
    expect((await cli(["backup", copy], { PARLEY_DATA_DIR: dataDir })).code).toBe(0);
  });

  describe("in an empty database", () => {
    let place: Awaited<ReturnType<typeof openPlace>>;
    beforeAll(async () => {
      place = await openPlace();
      const { code, out } = await cli(["restore", copy, "--json"], { DATABASE_URL: place.url });
      expect(code).toBe(0);
      expect(JSON.parse(out).rows).toBeGreaterThan(20);
    });
    afterAll(async () => place?.[Symbol.asyncDispose]());

    test("is read as before by the same sessions and keys, and can be continued", async () => {
      await using server = await startTestServer({ database: { kind: "postgres", url: place.url } });
      expect(server.ctx.epoch).not.toBe(epoch);
      expect(await readAll(server)).toEqual(answers);
      const bob = new Client(server.url, credentials.get("bob"));
      // No number is used again.
      const sent = await bob.post("/api/messages", { channel_slug: "general", content: "from PostgreSQL" });
      expect([sent.status, sent.body.message_id]).toEqual([201, 5]);
      expect((await bob.post("/api/red-packets/1/claim", {})).body.claim.rank).toBe(1);
      await server.user("cyd");
      await eventually("what was said before is found", async () => {
        const found = await bob.get(`/api/search/messages?q=${encodeURIComponent("京都")}`);
        return found.body.messages.length === 1;
      });
      expect((await cli(["doctor"], { DATABASE_URL: place.url, PORT: "0", PARLEY_BLUESKY_API_URL: "off" })).code).toBe(
        0,
      );
    });

    test("cannot be restored there again, nor while a server runs", async () => {
      const again = await cliProcess(["restore", copy], { DATABASE_URL: place.url });
      expect([again.code, again.err]).toEqual([1, expect.stringContaining("is not empty")]);
      await using _server = await startTestServer({ database: { kind: "postgres", url: place.url } });
      const beside = await cliProcess(["restore", copy], { DATABASE_URL: place.url });
      expect([beside.code, beside.err]).toEqual([1, expect.stringContaining("Another Parley server")]);
    });
  });

  test("a backup of an older version, or with a text that PostgreSQL cannot store, leaves the database empty", async () => {
    await using place = await openPlace();
    const spoilt = async (change: string): Promise<string> => {
      const file = join(temporaryFolder(), "spoilt.sqlite");
      copyFileSync(copy, file);
      {
        using database = new Database(file);
        database.run(change);
      }
      const { code, err } = await cliProcess(["restore", file], { DATABASE_URL: place.url });
      expect(code).toBe(1);
      return err;
    };
    expect(await spoilt("update meta set value = '15' where key = 'schema'")).toContain("parley migrate");
    expect(await spoilt("update messages set content = 'a' || char(0) where id = 1")).toContain(
      "messages.content contains the character U+0000",
    );
    expect(await onPostgres("select count(*)::int as users from users", place.url)).toEqual([{ users: 0 }]);
  });
});
