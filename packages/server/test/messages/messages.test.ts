import { describe, expect, test } from "bun:test";
import { eachDatabase } from "../support/databases.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { newChannel } from "../support/new-channel.ts";
import { say } from "../support/say.ts";
import { startTestServer } from "../support/servers/test-server.ts";

/** Protocol §4 over real HTTP, on every database. */
eachDatabase(async (_, open) => {
  const server = await forAllTests(startTestServer({}, { database: await open() }));
  const ann = await server.user("ann");
  const bob = await server.user("bob");

  /** Creates a channel for one test, owned by ann. */
  const channel = (settings = {}) => newChannel(ann, settings);

  describe("POST /api/messages", () => {
    test("stores a message and returns it", async () => {
      const { id, slug } = await channel();
      const answer = await ann.post("/api/messages", { channel_slug: slug, content: "hello" });
      expect(answer.status).toBe(201);
      expect(answer.body).toMatchObject({ success: true, deduplicated: false });
      const { chat_message: record } = answer.body;
      expect(record).toEqual({
        id: answer.body.message_id,
        channel_id: id,
        channel_slug: slug,
        seq: answer.body.seq,
        type: "text",
        content: "hello",
        sender_type: "user",
        username: "ann",
        agent_name: null,
        agent_id: null,
        client_msg_id: null,
        reply_to_id: null,
        mentions: [],
        sticker: null,
        packet_id: null,
        thread_root_id: null,
        also_in_channel: false,
        thread: null,
        files: [],
        expires_at: null,
        reactions: [],
        is_pinned: false,
        pinned_at: null,
        pinned_by: null,
        edited_at: null,
        is_deleted: false,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      });
      const page = await server.guest.get(`/api/messages?channel_id=${id}`);
      expect(page.body.messages).toEqual([record]);
    });

    test("ignores a channel name that is null and uses the other one", async () => {
      const { id, slug } = await channel();
      const send = (ref: object) => ann.post("/api/messages", { ...ref, content: "hello" });
      expect((await send({ channel_id: id, channel_slug: null })).status).toBe(201);
      expect((await send({ channel_id: null, channel_slug: slug })).status).toBe(201);
      expect((await send({ channel_id: null, channel_slug: null })).body.code).toBe("channel_id_required");
    });

    test("joins a public channel by sending", async () => {
      const { id } = await channel();
      await say(bob, id, "hi");
      const members = await bob.get(`/api/channels/${id}/members`);
      expect(
        members.body.members.map((member: { name?: string; username?: string }) => member.name ?? member.username),
      ).toContain("bob");
    });

    test.each([
      ["a number", { channel_slug: "general", content: 5 }, 400, "content_required"],
      ["no channel", { content: "x" }, 400, "channel_id_required"],
      ["no content", { channel_slug: "general" }, 400, "content_required"],
      ["empty content", { channel_slug: "general", content: "" }, 400, "content_required"],
      ["blank content", { channel_slug: "general", content: " \n\t" }, 400, "content_required"],
      [
        "nothing visible",
        { channel_slug: "general", content: "\u200b\u2060 \u3164\u2800\u202e\ufe0f" },
        400,
        "content_required",
      ],
      ["4,001 characters", { channel_slug: "general", content: "x".repeat(4001) }, 400, "message_too_long"],
      ["4,001 emoji", { channel_slug: "general", content: "😀".repeat(4001) }, 400, "message_too_long"],
      ["an unknown reply", { channel_slug: "general", content: "x", reply_to_id: 999_999 }, 404, "message_not_found"],
      ["an unknown channel", { channel_id: 999_999, content: "x" }, 404, "channel_not_found"],
      ["NUL", { channel_slug: "general", content: "a\u0000b" }, 400, "invalid_request"],
      ["a lone surrogate", { channel_slug: "general", content: "a\ud800b" }, 400, "invalid_request"],
    ])("refuses %s and stores nothing", async (_, body, status, code) => {
      const before = (await ann.get("/api/messages?channel_id=general")).body.last_seq;
      const answer = await ann.post("/api/messages", body);
      expect([answer.status, answer.body.code]).toEqual([status, code]);
      expect((await ann.get("/api/messages?channel_id=general")).body.last_seq).toBe(before);
    });

    test("accepts 4,000 characters, counted as code points", async () => {
      const { id } = await channel();
      const content = "😀".repeat(4000);
      expect((await say(ann, id, content)).chat_message.content).toBe(content);
    });

    test("returns the first message for a repeated key, and a conflict for a different body", async () => {
      const { id } = await channel();
      const first = await say(ann, id, "once", { client_msg_id: "k-1" });
      const again = await ann.post("/api/messages", { channel_id: id, content: "once", client_msg_id: "k-1" });
      expect(again.status).toBe(200);
      expect(again.body).toEqual({ ...first, deduplicated: true });
      const other = await ann.post("/api/messages", { channel_id: id, content: "twice", client_msg_id: "k-1" });
      expect([other.status, other.body.code]).toEqual([409, "idempotency_conflict"]);
      await say(bob, id, "bob's own key", { client_msg_id: "k-1" });
    });

    test("accepts an Idempotency-Key as client_msg_id, but not a malformed one", async () => {
      const { id } = await channel();
      const send = (content: string, key: string) =>
        ann.post("/api/messages", { channel_id: id, content }, { headers: { "idempotency-key": key } });
      for (const key of ["k-header", "k".repeat(255)]) {
        const [first, again] = [await send("once", key), await send("once", key)];
        expect([first.status, again.status]).toEqual([201, 200]);
        expect(again.body).toEqual({ ...first.body, deduplicated: true });
        expect((await send("twice", key)).body.code).toBe("idempotency_conflict");
      }
      for (const key of ["", "k-short", "k".repeat(256), "two words", "schlüssel"]) {
        expect((await send("never", key)).body.code).toBe("idempotency_key_invalid");
      }
    });

    test("stores one message for twenty parallel requests with one key", async () => {
      const { id } = await channel();
      const answers = await Promise.all(
        Array.from({ length: 20 }, () =>
          ann.post("/api/messages", { channel_id: id, content: "once", client_msg_id: "parallel" }),
        ),
      );
      expect(new Set(answers.map(({ body }) => body.message_id)).size).toBe(1);
      expect(answers.filter(({ status }) => status === 201).length).toBe(1);
      expect((await ann.get(`/api/messages?channel_id=${id}`)).body.messages.length).toBe(1);
    });

    test("numbers parallel messages without gaps", async () => {
      const { id } = await channel();
      const first = (await ann.get(`/api/messages?channel_id=${id}`)).body.last_seq;
      const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => say(n % 2 ? ann : bob, id, `n${n}`)));
      expect(answers.map(({ seq }) => seq).sort((a, b) => a - b)).toEqual(
        Array.from({ length: 50 }, (_, n) => first + 1 + n),
      );
    });

    test("enforces the channel's rules: post policy and slow mode", async () => {
      const { id } = await channel();
      await say(bob, id, "in");
      expect((await ann.put(`/api/channels/${id}`, { slow_mode_seconds: 60 })).status).toBe(200);
      await say(bob, id, "one");
      const slow = await bob.post("/api/messages", { channel_id: id, content: "two" });
      expect([slow.status, slow.body.code]).toEqual([429, "slow_mode"]);
      expect(Number(slow.headers.get("retry-after"))).toBeGreaterThan(50);
      await say(ann, id, "the owner may");
      expect((await ann.put(`/api/channels/${id}`, { slow_mode_seconds: 0, post_policy: "admins" })).status).toBe(200);
      const refused = await bob.post("/api/messages", { channel_id: id, content: "three" });
      expect([refused.status, refused.body.code]).toEqual([403, "post_policy"]);
    });

    test("resolves mentions by the longest name, in any case, and never of the sender", async () => {
      const { id } = await channel();
      const body = await say(ann, id, "@BOB. and @ann and x@bob, @nobody");
      expect(body.chat_message.mentions).toEqual([{ type: "user", name: "bob", offset: 0, length: 4 }]);
    });
  });

  describe("GET /api/messages", () => {
    test("pages both ways without gaps or duplicates", async () => {
      const { id } = await channel();
      for (let n = 0; n < 23; n++) await say(ann, id, `m${n}`);
      const texts = (messages: { content: string }[]) => messages.map(({ content }) => content);
      const seen: string[] = [];
      let before = "";
      for (;;) {
        const page = (await bob.get(`/api/messages?channel_id=${id}&limit=5${before}`)).body;
        seen.unshift(...texts(page.messages));
        if (!page.has_more) break;
        before = `&before=${page.next_before}`;
      }
      expect(seen).toEqual(Array.from({ length: 23 }, (_, n) => `m${n}`));
      const all = (await bob.get(`/api/messages?channel_id=${id}&limit=200`)).body.messages;
      const after = (await bob.get(`/api/messages?channel_id=${id}&after=${all[3].id}&limit=4`)).body;
      expect(texts(after.messages)).toEqual(["m4", "m5", "m6", "m7"]);
      expect(after.has_more).toBe(true);
      const next = (await bob.get(`/api/messages?channel_id=${id}&after_seq=${after.next_after_seq}&limit=2`)).body;
      expect(texts(next.messages)).toEqual(["m8", "m9"]);
      const around = (await bob.get(`/api/messages?channel_id=${id}&around=${all[10].id}&limit=5`)).body;
      expect(texts(around.messages)).toEqual(["m8", "m9", "m10", "m11", "m12"]);
    });

    test("clamps and returns the limit, and refuses malformed ones", async () => {
      for (const limit of ["5000", "9007199254740993", "9".repeat(40)])
        expect((await ann.get(`/api/messages?channel_id=general&limit=${limit}`)).body.limit).toBe(200);
      expect((await ann.get("/api/messages?channel_id=general")).body.limit).toBe(50);
      for (const limit of ["0", "-1", "x", "1.5", ""]) {
        const answer = await ann.get(`/api/messages?channel_id=general&limit=${limit}`);
        expect([limit, answer.status, answer.body.code]).toEqual([limit, 400, "invalid_limit"]);
      }
      for (const query of ["", "?channel_id=", "?channel_id=0"]) {
        const none = await ann.get(`/api/messages${query}`);
        const code = query.endsWith("0") ? "invalid_id" : "channel_id_required";
        expect([query, none.status, none.body.code]).toEqual([query, 400, code]);
      }
      const { id } = await channel();
      const foreign = await say(ann, id, "elsewhere");
      for (const cursor of [`before=${foreign.message_id}`, "before=x", "before=999999", "before=1&after=1"]) {
        const answer = await ann.get(`/api/messages?channel_id=general&${cursor}`);
        expect([cursor, answer.status, answer.body.code]).toEqual([cursor, 400, "invalid_cursor"]);
      }
    });

    test("finds the channel by its new slug after a rename", async () => {
      const { id } = await channel();
      await say(ann, id, "before");
      const slug = `renamed-${id}`;
      expect((await ann.put(`/api/channels/${id}`, { channel_slug: slug })).status).toBe(200);
      for (const limit of [50, 1]) {
        const page = (await ann.get(`/api/messages?channel_id=${slug}&limit=${limit}`)).body;
        expect(page.messages[0]).toMatchObject({ content: "before", channel_slug: slug });
      }
    });

    test("shows edits and deletions in the newest page at once", async () => {
      const { id } = await channel();
      const message = await say(ann, id, "first");
      await say(ann, id, "second");
      expect((await ann.put(`/api/messages/${message.message_id}`, { content: "changed" })).status).toBe(200);
      let page = (await bob.get(`/api/messages?channel_id=${id}`)).body;
      expect(page.messages[0]).toMatchObject({ content: "changed", edited_at: expect.any(String) });
      expect((await ann.delete(`/api/messages/${message.message_id}`)).status).toBe(200);
      page = (await bob.get(`/api/messages?channel_id=${id}`)).body;
      expect(page.messages[0]).toMatchObject({ content: "", is_deleted: true, mentions: [] });
      expect(page.messages.length).toBe(2);
    });
  });

  describe("PUT and DELETE /api/messages/:messageId", () => {
    test("are allowed to the sender, and deleting to the channel's admins", async () => {
      const { id } = await channel();
      const message = await say(bob, id, "bob's");
      const cat = await server.user("cat");
      for (const answer of [
        await ann.put(`/api/messages/${message.message_id}`, { content: "x" }),
        await cat.delete(`/api/messages/${message.message_id}`),
      ]) {
        expect([answer.status, answer.body.code]).toEqual([403, "forbidden"]);
      }
      for (const field of ["id", "message_id", "seq", "channel_id"]) {
        const moved = await bob.put(`/api/messages/${message.message_id}`, { content: "moved", [field]: 1 });
        expect([moved.status, moved.body.code]).toEqual([400, "field_not_writable"]);
      }
      const edited = await bob.put(`/api/messages/${message.message_id}`, { content: "changed" });
      expect(edited.body.chat_message).toMatchObject({ content: "changed", id: message.message_id, seq: message.seq });
      expect((await ann.delete(`/api/messages/${message.message_id}`)).body).toMatchObject({
        success: true,
        message_id: message.message_id,
      });
      expect((await bob.delete(`/api/messages/${message.message_id}`)).status).toBe(200);
      const late = await bob.put(`/api/messages/${message.message_id}`, { content: "again" });
      expect([late.status, late.body.code]).toEqual([409, "message_deleted"]);
      const pin = await ann.post(`/api/messages/${message.message_id}/pin`);
      expect([pin.status, pin.body.code]).toEqual([409, "message_deleted"]);
    });

    test("answer 404 for missing or hidden messages, 400 for malformed ids and 401 for guests", async () => {
      const { id } = await channel({ is_private: true });
      const hidden = await say(ann, id, "secret");
      for (const messageId of [999_999, hidden.message_id]) {
        const answer = await bob.put(`/api/messages/${messageId}`, { content: "x" });
        expect([answer.status, answer.body.code]).toEqual([404, "message_not_found"]);
      }
      const bad = await bob.delete("/api/messages/abc");
      expect([bad.status, bad.body.code]).toEqual([400, "invalid_id"]);
      const stranger = await server.guest.put("/api/messages/1", { content: 5 });
      expect([stranger.status, stranger.body.code]).toEqual([401, "session_required"]);
    });
  });
});
