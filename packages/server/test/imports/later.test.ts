import { describe, expect, test } from "bun:test";
import { openImport } from "../../src/imports/open/open.ts";
import { undoImport } from "../../src/imports/undo/undo.ts";
import { writeImport } from "../../src/imports/write/write.ts";
import { searchConsumer } from "../../src/search/index/message-index.ts";
import { eachDatabase } from "../support/databases.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import {
  type Content,
  memoryStage,
  sourceChannel,
  sourceMessage,
  sourceUser,
} from "../support/imports/memory-stage.ts";
import { TestSocket } from "../support/servers/socket.ts";
import { startTestServer } from "../support/servers/test-server.ts";

const DAY = Date.UTC(2019, 4, 6);
const at = (minutes: number): number => DAY + minutes * 60_000;

const messageAt = (id: string, minutes: number, over: Parameters<typeof sourceMessage>[1] = {}) =>
  sourceMessage(id, { at: at(minutes), text: id, ...over });

const isExtended = ({ event }: { event: string }): boolean => event === "history:extended";

/** An export of a channel `name` with the messages that are given. */
const exportOf = (name: string, messages: Content["messages"], more: Partial<Content> = {}): Content => ({
  users: [sourceUser("U1"), sourceUser("U2"), ...(more.users ?? [])],
  channels: [sourceChannel("C1", { name, memberIds: ["U1", "U2"], creatorId: "U1" }), ...(more.channels ?? [])],
  messages,
});

const FIRST = [
  messageAt("m1", 10),
  messageAt("m2", 20, { senderId: "U2", threadId: "m1" }),
  messageAt("m3", 30, { senderId: "U2" }),
];

eachDatabase(async (_, open) => {
  const server = await forAllTests(startTestServer({ rateLimits: "off" }, { database: await open() }));
  const { ctx } = server;
  let number = 0;

  /** Imports an export of a workspace of its own. `later` imports another one of it, and does not open it. */
  async function imported(messages: Content["messages"]) {
    number += 1;
    const name = `room-${number}`;
    const format = ["slack", "discord", "zulip", "telegram", "mattermost", "rocketchat"][number - 1] ?? "slack";
    let file = 0;
    const write = (content: Content, late: "channel" | "skip" = "channel") => {
      file += 1;
      return writeImport(ctx, memoryStage(content), {
        format: format as "slack",
        fingerprint: `f${number}-${file}`,
        late,
      });
    };
    const first = await write(exportOf(name, messages));
    await openImport(ctx, first.importId);
    const { id } = await ctx.db.selectFrom("channels").select("id").where("slug", "=", name).executeTakeFirstOrThrow();
    return { name, id, write, first: first.importId };
  }

  const reader = await server.newUser();
  const pageOf = async (id: number) => (await reader.get(`/api/messages?channel_id=${id}&limit=100`)).body;
  const textsOf = async (id: number): Promise<string[]> =>
    (await pageOf(id)).messages.map(({ content }: { content: string }) => content);
  const idOf = async (slug: string): Promise<number> =>
    (await ctx.db.selectFrom("channels").select("id").where("slug", "=", slug).executeTakeFirstOrThrow()).id;

  const LATER = [
    ...FIRST,
    messageAt("old", 5),
    messageAt("m4", 40, { senderId: "U3" }),
    messageAt("m5", 50, { senderId: "U1", threadId: "m1" }),
    messageAt("m6", 60, { senderId: "U2", replyToId: "m3", text: "needle" }),
  ];
  const withMore = (name: string) =>
    exportOf(name, [...LATER, messageAt("n1", 70, { channelId: "C2" })], {
      users: [sourceUser("U3")],
      channels: [sourceChannel("C2", { name: `${name}-new`, memberIds: ["U3"] })],
    });

  describe("a later export", () => {
    test("adds what is newer at the opening, tells clients once, and stays read", async () => {
      const { name, id, write } = await imported(FIRST);
      const before = (await pageOf(id)).last_seq;
      using socket = await TestSocket.open(server.url, reader.credential);
      const { data: joined } = await socket.command("channel:join", { channel_id: id });
      const { importId, counts } = await write(withMore(name));
      expect(counts.messages).toMatchObject({ taken: 5, known: 3, left_out: 0 });
      expect(counts.users).toMatchObject({ taken: 1 });
      expect(counts.channels).toMatchObject({ taken: 2, known: 1 });
      expect(await textsOf(id)).toEqual(["m1", "m2", "m3"]);
      const root = (await pageOf(id)).messages[0];
      expect(root.thread.reply_count).toBe(1);
      expect((await reader.get(`/api/messages/${root.id}/thread`)).body.messages).toHaveLength(2);

      await openImport(ctx, importId);
      const told = await socket.next(isExtended);
      expect(told.data).toEqual({ channel_id: id, seq: before + 4 });
      expect(await textsOf(id)).toEqual(["m1", "m2", "m3", "m4", "m5", "needle"]);
      const page = await pageOf(id);
      expect(page.last_seq).toBe(before + 4);
      expect(page.messages.map(({ seq }: { seq: number }) => seq)).toEqual([1, 2, 3, 4, 5, 6]);
      expect(page.messages[0].thread.reply_count).toBe(2);
      expect(page.messages[5].reply_to_id).toBe(page.messages[2].id);
      expect((await reader.get(`/api/messages/${root.id}/thread`)).body.messages).toHaveLength(3);
      expect(await textsOf(await idOf(`${name}-earlier`))).toEqual(["old"]);
      expect(await textsOf(await idOf(`${name}-new`))).toEqual(["n1"]);
      await searchConsumer(ctx).flush();
      const found = (await reader.get("/api/search/messages?q=needle")).body.messages;
      expect(found.map(({ channel_id }: { channel_id: number }) => channel_id)).toContain(id);
      const members = await ctx.db
        .selectFrom("channel_members")
        .select("last_read_seq")
        .where("channel_id", "=", id)
        .execute();
      for (const { last_read_seq } of members) expect(last_read_seq).toBe(before + 4);

      // Somebody who was away since before it loads afresh, and what is sent next is the next event.
      const away = await socket.command("channel:join", { channel_id: id, after_seq: before, epoch: joined.epoch });
      expect(away.data).toMatchObject({ recovered: false, history_extended: true, last_seq: before + 4 });
      await reader.post("/api/messages", { channel_id: id, content: "and now" });
      expect((await socket.next(({ event }) => event === "message:new")).data.seq).toBe(before + 5);
      const since = await socket.command("channel:join", {
        channel_id: id,
        after_seq: before + 4,
        epoch: joined.epoch,
      });
      expect(since.data).toMatchObject({ recovered: true, events: [{ event: "message:new" }] });
      expect(await write(withMore(name))).toMatchObject({ counts: { messages: { taken: 0, known: 8 } } });
    });

    test("gives a channel in which people have written a second one, or leaves its messages out", async () => {
      const { name, id, write } = await imported(FIRST);
      await reader.post("/api/messages", { channel_id: id, content: "in use" });
      const skipped = await write(exportOf(name, LATER), "skip");
      expect(skipped.counts.messages).toMatchObject({ taken: 0, known: 3, left_out: 4 });
      await openImport(ctx, skipped.importId);
      const { importId, counts } = await write(exportOf(name, LATER));
      expect(counts.messages).toMatchObject({ taken: 4, known: 3, left_out: 0 });
      await openImport(ctx, importId);
      expect(await textsOf(id)).toEqual(["m1", "m2", "m3", "in use"]);
      const earlier = await idOf(`${name}-earlier`);
      expect(await textsOf(earlier)).toEqual(["old", "m4", "m5", "needle"]);
      expect((await reader.get(`/api/channels/${earlier}`)).body.channel.post_policy).toBe("admins");
    });

    test("adds nothing where somebody writes between its writing and its opening", async () => {
      const { name, id, write } = await imported(FIRST);
      const { importId } = await write(exportOf(name, LATER));
      await reader.post("/api/messages", { channel_id: id, content: "meanwhile" });
      await openImport(ctx, importId);
      expect(await textsOf(id)).toEqual(["m1", "m2", "m3", "meanwhile"]);
      expect(await textsOf(await idOf(`${name}-earlier`))).toEqual(["old", "m4", "m5", "needle"]);
    });

    test("is undone without what was there before it", async () => {
      const { name, id, write, first } = await imported(FIRST);
      using socket = await TestSocket.open(server.url, reader.credential);
      await socket.command("channel:join", { channel_id: id });
      const before = await pageOf(id);
      const { importId } = await write(withMore(name));
      await openImport(ctx, importId);
      expect(await socket.next((frame) => isExtended(frame) && frame.data.seq === 7)).toBeDefined();
      await expect(undoImport(ctx, first)).rejects.toThrow("undo import");
      await undoImport(ctx, importId);
      expect(await socket.next((frame) => isExtended(frame) && frame.data.seq === 8)).toBeDefined();
      expect((await pageOf(id)).messages).toEqual(before.messages);
      expect(
        (await reader.get("/api/channels")).body.channels.map((each: { channel_slug: string }) => each.channel_slug),
      ).not.toContain(`${name}-earlier`);
      // It may be taken again, and with all of it everything goes.
      const again = await write(withMore(name));
      expect(again.counts.messages.taken).toBe(5);
      await openImport(ctx, again.importId);
      await socket.next((frame) => isExtended(frame) && frame.data.seq === 12);
      expect(await textsOf(id)).toEqual(["m1", "m2", "m3", "m4", "m5", "needle"]);
      await undoImport(ctx, again.importId);
      await undoImport(ctx, first);
      expect((await reader.get(`/api/channels/${id}`)).status).toBe(404);
    });

    test("is not undone while people have written after it", async () => {
      const { name, id, write } = await imported(FIRST);
      const { importId } = await write(exportOf(name, LATER));
      await openImport(ctx, importId);
      await reader.post("/api/messages", { channel_id: id, content: "after it" });
      await expect(undoImport(ctx, importId)).rejects.toThrow("1 change came after the messages");
      expect(await textsOf(id)).toEqual(["m1", "m2", "m3", "m4", "m5", "needle", "after it"]);
    });
  });
});
