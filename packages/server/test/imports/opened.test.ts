import { describe, expect, test } from "bun:test";
import { openImport } from "../../src/imports/open/open.ts";
import { writeImport } from "../../src/imports/write/write.ts";
import { searchConsumer } from "../../src/search/index/message-index.ts";
import { eachDatabase } from "../support/databases.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { memoryStage, sourceChannel, sourceMessage, sourceUser } from "../support/imports/memory-stage.ts";
import { startTestServer } from "../support/servers/test-server.ts";

const DAY = Date.UTC(2015, 4, 6);
const at = (minutes: number): number => DAY + minutes * 60_000;
const SITE = "https://chat.example.org";
const SLACK = { format: "slack", fingerprint: "f1" } as const;

const CONTENT = {
  users: [
    sourceUser("U1", { name: "Zoë Q.", displayName: "Zoë Quint" }),
    sourceUser("U2", { name: "admin" }),
    sourceUser("U3", { name: "left", isGone: true }),
    sourceUser("B1", { name: "deploybot", kind: "bot" }),
  ],
  channels: [
    sourceChannel("C1", { name: "Résumé talk", creatorId: "U1", memberIds: ["U1", "U2", "U3"], topic: "Tea" }),
    sourceChannel("C2", { kind: "private", memberIds: ["U2"], isArchived: true }),
    sourceChannel("D1", { kind: "direct", name: "", memberIds: ["U1", "U2"] }),
    sourceChannel("G1", { kind: "group", name: "", memberIds: ["U1", "U2", "U3"] }),
    sourceChannel("E1", { name: "empty" }),
  ],
  messages: [
    sourceMessage("m1", { at: at(0), text: "needle in the beginning", isPinned: true }),
    sourceMessage("m2", { at: at(1), senderId: "U2", text: "a reply", threadId: "m1" }),
    sourceMessage("m3", { at: at(2), senderId: "U3", text: "broadcast", threadId: "m1", isAlsoInChannel: true }),
    sourceMessage("m4", {
      at: at(3),
      senderId: "B1",
      text: {
        type: "root",
        children: [
          {
            type: "paragraph",
            children: [
              { type: "text", value: "Hi " },
              { type: "sourceMention", userId: "U1", label: "@zoe" },
              { type: "text", value: " in " },
              { type: "sourceChannel", channelId: "E1", label: "#empty" },
              { type: "text", value: ", see " },
              {
                type: "link",
                url: "https://acme.slack.com/archives/C1/p1",
                data: { target: { channelId: "C1", messageId: "m1" } },
                children: [{ type: "text", value: "there" }],
              },
            ],
          },
        ],
      },
      reactions: [
        { reaction: "👍", userIds: ["U1", "U2", "U9"] },
        { reaction: "Party Parrot", userIds: ["U3"] },
      ],
      editedAt: at(4),
    }),
    sourceMessage("m5", { at: at(5), isTombstone: true }),
    sourceMessage("m6", { at: at(6), text: "an orphan", threadId: "gone" }),
    sourceMessage("m7", { at: at(7), senderId: "U7", text: "by a stranger", replyToId: "m4" }),
    sourceMessage("s1", { channelId: "C2", senderId: "U2", at: at(8), text: "needle and secret" }),
    sourceMessage("d1", { channelId: "D1", at: at(9), text: "needle between us" }),
    sourceMessage("g1", { channelId: "G1", at: at(10), text: "needle among three" }),
  ],
};

const isInChannel = (message: { thread_root_id: number | null; also_in_channel: boolean }): boolean =>
  message.thread_root_id === null || message.also_in_channel;

eachDatabase(async (_, open) => {
  const server = await forAllTests(startTestServer({ rateLimits: "off", publicUrl: SITE }, { database: await open() }));
  const { ctx } = server;
  const stage = memoryStage(CONTENT);

  describe("an import", () => {
    test("is invisible to everybody until it is opened, and then reads as it was", async () => {
      const owner = await server.newUser();
      await ctx.db.updateTable("users").set({ admin_level: 3 }).where("username", "=", owner.username).execute();
      const callers = [server.guest, await server.newUser(), await server.agent("reader"), owner];
      const { importId, counts } = await writeImport(ctx, stage, SLACK);
      expect(counts).toMatchObject({
        users: { taken: 4 },
        agents: { taken: 1 },
        channels: { taken: 5, left_out: 0 },
        messages: { taken: 10, left_out: 0 },
        replies: { taken: 3 },
        reactions: { taken: 3, left_out: 1 },
        pins: { taken: 1 },
      });
      const made = await ctx.db.selectFrom("channels").select(["id", "slug"]).where("slug", "<>", "general").execute();
      expect(made).toHaveLength(5);
      await searchConsumer(ctx).flush();
      for (const caller of callers) {
        for (const { id, slug } of made) {
          expect((await caller.get(`/api/channels/${id}`)).status).toBe(404);
          expect((await caller.get(`/api/messages?channel_id=${id}`)).status).toBe(404);
          expect((await caller.get(`/api/messages?channel_slug=${slug}`)).status).toBe(404);
        }
        const listed = JSON.stringify((await caller.get("/api/channels")).body);
        expect(listed).not.toContain("talk");
        expect((await caller.get("/api/search/messages?q=needle")).body.messages).toEqual([]);
        expect((await caller.get("/api/users/Zoe.Q")).status).toBe(404);
      }
      expect(JSON.stringify((await owner.get("/api/admin/channels")).body)).not.toContain("talk");
      expect(JSON.stringify((await owner.get("/api/admin/users")).body)).not.toContain("oe.Q");

      await openImport(ctx, importId);
      await searchConsumer(ctx).flush();
      const listed = (await owner.get("/api/channels")).body.channels;
      const talk = listed.find(({ channel_slug }: { channel_slug: string }) => channel_slug === "resume-talk");
      expect(talk).toMatchObject({ name: "Résumé talk", topic: "Tea", owner_username: "Zoe.Q", member_count: 2 });
      const page = (await owner.get(`/api/messages?channel_id=${talk.id}`)).body.messages;
      expect(page.map(({ seq }: { seq: number }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
      const messages = page.filter(isInChannel);
      const shown = messages.map((message: { content: string; created_at: string }) => [
        message.content,
        message.created_at,
      ]);
      const root = messages[0];
      expect(shown).toEqual([
        ["needle in the beginning", new Date(at(0)).toISOString()],
        ["broadcast", new Date(at(2)).toISOString()],
        [`Hi @Zoe.Q in #empty, see [there](${SITE}/#/c/resume-talk/${root.id})`, new Date(at(3)).toISOString()],
        ["", new Date(at(5)).toISOString()],
        ["", new Date(at(6)).toISOString()],
        ["by a stranger", new Date(at(7)).toISOString()],
      ]);
      expect(root).toMatchObject({ username: "Zoe.Q", is_pinned: true, thread: { reply_count: 2 } });
      expect(root.thread.participants).toEqual([
        { kind: "user", name: "left" },
        { kind: "user", name: "admin-2" },
      ]);
      expect(messages[2]).toMatchObject({
        agent_name: "deploybot",
        edited_at: new Date(at(4)).toISOString(),
        mentions: [{ type: "user", name: "Zoe.Q", offset: 3, length: 6 }],
        reactions: [
          { reaction: "👍", count: 2, me: false },
          { reaction: "party_parrot", count: 1, me: false },
        ],
      });
      expect(messages[3]).toMatchObject({ is_deleted: true, username: "Zoe.Q" });
      expect(messages[4]).toMatchObject({ is_deleted: true, thread: { reply_count: 1 } });
      expect(messages[5]).toMatchObject({ username: "unknown-U7", reply_to_id: messages[2].id });
      const thread = (await owner.get(`/api/messages/${root.id}/thread`)).body;
      expect(thread.messages.map(({ content }: { content: string }) => content)).toEqual([
        "needle in the beginning",
        "a reply",
        "broadcast",
      ]);
      const pins = (await owner.get(`/api/channels/${talk.id}/pins`)).body;
      expect(JSON.stringify(pins)).toContain("needle in the beginning");
      const who = (await owner.get(`/api/messages/${messages[2].id}/reactions/${encodeURIComponent("👍")}`)).body;
      expect(JSON.stringify(who)).toContain("admin-2");
    });
  });
});
