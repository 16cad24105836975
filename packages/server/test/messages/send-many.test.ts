import { describe, expect, test } from "bun:test";
import { eachDatabase } from "../support/databases.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { startTestServer } from "../support/servers/test-server.ts";

eachDatabase(async (_, open) => {
  const server = await forAllTests(startTestServer({}, { database: await open() }));

  describe("a long text of a user in several messages", () => {
    let rooms = 0;
    const room = async () => {
      const ann = await server.newUser();
      const { body } = await ann.post("/api/channels", { name: `Room ${++rooms}` });
      const channel_id: number = body.channel.id;
      return {
        ann,
        channel_id,
        many: (messages: object[], more: object = {}) =>
          ann.post("/api/messages/send-many", { channel_id, messages, ...more }),
        texts: async () =>
          (await ann.get(`/api/messages?channel_id=${channel_id}`)).body.messages
            .filter(({ type }: { type: string }) => type === "text")
            .map(({ content }: { content: string }) => content),
      };
    };
    const code = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code];

    test("all are stored with consecutive numbers, and once for the same keys", async () => {
      const { many, texts } = await room();
      const parts = ["one", "two", "three"].map((content) => ({ content, client_msg_id: `${content}-${rooms}` }));
      const [first, twin] = await Promise.all([many(parts), many(parts)]);
      expect([first.status, twin.status].sort()).toEqual([200, 201]);
      const seqs = first.body.messages.map(({ seq }: { seq: number }) => seq);
      expect(seqs).toEqual([seqs[0], seqs[0] + 1, seqs[0] + 2]);
      expect(await texts()).toEqual(["one", "two", "three"]);
      const mixed = [{ content: "new", client_msg_id: `new-${rooms}` }, ...parts.slice(0, 1)];
      expect(code(await many(mixed))).toEqual([409, "idempotency_conflict"]);
      expect(await texts()).toHaveLength(3);
    });

    test("none is stored if one of them is refused", async () => {
      const { many, texts } = await room();
      expect(code(await many([{ content: "fits" }, { content: "x".repeat(4_001) }]))).toEqual([
        400,
        "message_too_long",
      ]);
      expect(code(await many([{ content: "fits" }, { content: " " }]))).toEqual([400, "content_required"]);
      expect(code(await many([{ content: "alone" }]))).toEqual([400, "invalid_request"]);
      expect(code(await many([{ content: "fits" }, { content: "not here", reply_to_id: 1_000_000 }]))).toEqual([
        404,
        "message_not_found",
      ]);
      expect(await texts()).toEqual([]);
    });

    test("they go to a thread together, and each counts for slow mode", async () => {
      const { ann, many, texts, channel_id } = await room();
      const { body } = await ann.post("/api/messages", { channel_id, content: "the root" });
      expect((await many([{ content: "a" }, { content: "b" }], { thread_root_id: body.message_id })).status).toBe(201);
      const thread = await ann.get(`/api/messages/${body.message_id}/thread`);
      expect(thread.body.messages).toHaveLength(3);
      const ben = await server.newUser();
      await ben.post(`/api/channels/${channel_id}/join`, {});
      await ann.put(`/api/channels/${channel_id}`, { slow_mode_seconds: 60 });
      const sent = (contents: string[]) =>
        ben.post("/api/messages/send-many", { channel_id, messages: contents.map((content) => ({ content })) });
      await sent(["c", "d"]);
      expect(code(await sent(["e", "f"]))).toEqual([429, "slow_mode"]);
      expect(await texts()).not.toContain("e");
    });
  });
});
