import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { SEARCH_CURSORS } from "../../src/db/search-index/search-index.ts";
import { openImport, PASSED_OVER } from "../../src/imports/open/open.ts";
import { writeImport } from "../../src/imports/write/write.ts";
import { searchConsumer } from "../../src/search/index/message-index.ts";
import { eachDatabase } from "../support/databases.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { memoryStage, sourceChannel, sourceMessage, sourceUser } from "../support/imports/memory-stage.ts";
import { newChannel } from "../support/new-channel.ts";
import { sayId } from "../support/say.ts";
import { startTestServer } from "../support/servers/test-server.ts";

const HOUR = 3_600_000;

test("every consumer of the server passes over what is imported, except the search", async () => {
  const folder = join(import.meta.dir, "../../src");
  const purposes = new Set<string>();
  for await (const path of new Bun.Glob("**/*.ts").scan(folder)) {
    if (path.endsWith(".test.ts") || path.startsWith("event-log/")) continue;
    const code = await readFile(join(folder, path), "utf8");
    if (!code.includes("consumeMessages(")) continue;
    const [, literal, name] = /purpose: (?:"(\w+)"|(\w+))/.exec(code) ?? [];
    purposes.add(literal ?? name ?? path);
  }
  // Those that are constants have the same name in two files.
  expect([...purposes].toSorted()).toEqual(["PURPOSE", "SEARCH_CURSORS", "activity", "agent_activity"]);
  expect(PASSED_OVER).toEqual(["activity", "agent_activity", "notifications", "inbox_kinds"]);
});

eachDatabase(async (_, open) => {
  const server = await forAllTests(startTestServer({ rateLimits: "off" }, { database: await open() }));
  const { ctx } = server;

  test("an import gives no points and no notifications, is read by all, and is found by its words and times", async () => {
    const ann = await server.newUser();
    const room = await newChannel(ann);
    await sayId(ann, room.slug, "a needle from before");
    const now = ctx.clock.now();
    const user = await ctx.db
      .selectFrom("users")
      .select("id")
      .where("username", "=", ann.username)
      .executeTakeFirstOrThrow();
    const messages = Array.from({ length: 300 }, (_, nth) =>
      sourceMessage(`m${nth}`, {
        channelId: nth % 2 === 0 ? "C1" : "D1",
        senderId: "U2",
        at: now - (300 - nth) * HOUR,
        threadId: nth > 100 && nth % 2 === 0 ? "m0" : null,
        text: {
          type: "root",
          children: [
            {
              type: "paragraph",
              children: [
                { type: "text", value: `needle ${nth} ` },
                { type: "sourceMention", userId: "U1", label: "@ann" },
              ],
            },
          ],
        },
      }),
    );
    const stage = memoryStage({
      users: [sourceUser("U1"), sourceUser("U2")],
      channels: [
        sourceChannel("C1", { memberIds: ["U1", "U2"] }),
        sourceChannel("D1", { kind: "direct", memberIds: ["U1", "U2"] }),
        sourceChannel("E1", { memberIds: ["U1"] }),
      ],
      messages,
    });
    const people = new Map([["U1", { action: "use", userId: user.id } as const]]);
    const { importId, counts } = await writeImport(ctx, stage, { format: "slack", fingerprint: "f", people });
    expect(counts.mentions.taken).toBe(300);
    await openImport(ctx, importId);
    await sayId(ann, room.slug, "a needle from after");
    await searchConsumer(ctx).flush();

    const listed = (await ann.get("/api/channels")).body.channels;
    const imported = listed.filter(({ name }: { name: string }) => name === "c1" || name.includes("u2"));
    expect(imported.map(({ unread_count }: { unread_count: number }) => unread_count)).toEqual([0, 0]);
    expect((await ann.get("/api/threads?unread=true")).body.threads).toEqual([]);
    expect((await ann.get("/api/notifications")).body.notifications).toEqual([]);
    const cursors = await ctx.db.selectFrom("channel_cursors").selectAll().execute();
    expect(cursors.every(({ seq }) => seq > 0)).toBe(true);
    for (const { id } of imported) {
      const own = cursors.filter(({ channel_id, seq }) => channel_id === id && seq === 150);
      expect(own.map(({ purpose }) => purpose).toSorted()).toEqual([...PASSED_OVER, SEARCH_CURSORS].toSorted());
    }
    expect(await ctx.db.selectFrom("mentions").selectAll().execute()).toEqual([]);

    const found = async (query: string) =>
      (await ann.get(`/api/search/messages?q=needle&limit=100&${query}`)).body.messages.map(
        ({ content }: { content: string }) => content.replace(/ @.*/, ""),
      );
    const iso = (time: number) => encodeURIComponent(new Date(time).toISOString());
    expect(await found(`since=${iso(now - 2.5 * HOUR)}`)).toEqual([
      "a needle from after",
      "a needle from before",
      "needle 299",
      "needle 298",
    ]);
    expect(await found(`since=${iso(now - 200.5 * HOUR)}&until=${iso(now - 197.5 * HOUR)}`)).toEqual([
      "needle 102",
      "needle 101",
      "needle 100",
    ]);
    expect(await found(`until=${iso(now - 298.5 * HOUR)}`)).toEqual(["needle 1", "needle 0"]);

    // The next message has the present time and the next number.
    await ann.post("/api/messages", { channel_id: imported[0].id, content: "hello" });
    const newest = (await ann.get(`/api/messages?channel_id=${imported[0].id}&limit=1`)).body.messages[0];
    expect(newest).toMatchObject({ seq: 151, content: "hello" });
    expect(Date.parse(newest.created_at)).toBeGreaterThanOrEqual(now);
  });
});
