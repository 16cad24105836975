import { describe, expect, test } from "bun:test";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { newChannel } from "../support/new-channel.ts";
import { say, sayId } from "../support/say.ts";
import { type Client, eventually, startTestServer } from "../support/servers/test-server.ts";
import { staff } from "../support/staff.ts";

/** Pins over real HTTP, on every database (protocol §1, §4). */
eachDatabase(async (_, open) => {
  const server = await forAllTests(startTestServer({}, { database: await open() }));
  const [ann, bob] = [await server.user("ann"), await server.user("bob")];

  /** Creates a channel for one test, owned by ann. */
  const channel = async (settings = {}): Promise<number> => (await newChannel(ann, settings)).id;

  const pin = (who: Client, messageId: number) => who.post(`/api/messages/${messageId}/pin`);
  const unpin = (who: Client, messageId: number) => who.post(`/api/messages/${messageId}/unpin`);
  const pins = (who: Client, channelId: number) => who.get(`/api/channels/${channelId}/pins`);
  const pinnedIds = async (channelId: number): Promise<number[]> =>
    (await pins(ann, channelId)).body.messages.map(({ id }: { id: number }) => id);
  const lastSeq = async (channelId: number): Promise<number> =>
    (await ann.get(`/api/messages?channel_id=${channelId}`)).body.last_seq;

  describe("pinning and unpinning", () => {
    test("return the state, show it in the message, and take one seq each", async () => {
      const id = await channel();
      const said = await sayId(bob, id, "pin me");
      const before = await lastSeq(id);
      const pinned = await pin(ann, said);
      expect(pinned.status).toBe(200);
      expect(pinned.body).toMatchObject({ message_id: said, channel_id: id, is_pinned: true, pinned_by: "ann" });
      expect((await pin(ann, said)).body).toEqual(pinned.body);
      const { pinned_at, pinned_by } = pinned.body;
      for (const query of ["", "&after_seq=0", "&limit=200"]) {
        const { messages } = (await server.guest.get(`/api/messages?channel_id=${id}${query}`)).body;
        expect(messages[0]).toMatchObject({ id: said, is_pinned: true, pinned_at, pinned_by });
      }
      const unpinned = await unpin(ann, said);
      expect(unpinned.body).toMatchObject({ message_id: said, is_pinned: false, pinned_at: null, pinned_by: null });
      expect((await unpin(ann, said)).body).toEqual(unpinned.body);
      expect(await lastSeq(id)).toBe(before + 2);
    });

    test("are allowed to the channel's admins, to members if the policy allows it, and to moderators", async () => {
      const id = await channel();
      const said = await sayId(ann, id);
      await say(bob, id, "in");
      const cat = await server.user(`cat${id}`);
      const moderator = await staff(server, `mod${id}`, 1);
      for (const who of [bob, cat]) {
        expectError(await pin(who, said), 403, "forbidden");
        expectError(await unpin(who, said), 403, "forbidden");
      }
      expect((await pin(moderator, said)).status).toBe(200);
      expect((await ann.put(`/api/channels/${id}/members/bob`, { role: "admin" })).status).toBe(200);
      expect((await unpin(bob, said)).status).toBe(200);
      await ann.put(`/api/channels/${id}/members/bob`, { role: "member" });
      expectError(await pin(bob, said), 403, "forbidden");
      expect((await ann.put(`/api/channels/${id}`, { pin_policy: "members" })).status).toBe(200);
      expect((await pin(bob, said)).body).toMatchObject({ is_pinned: true, pinned_by: "bob" });
      expectError(await pin(cat, said), 403, "forbidden");
      expectError(await pin(await server.agent(), said), 403, "forbidden");
      expectError(await pin(server.guest, said), 401, "session_required");
      expectError(await unpin(server.guest, said), 401, "session_required");
    });

    test("answer with the right code for missing, hidden, locked, deleted and malformed ids", async () => {
      const hidden = await sayId(ann, await channel({ is_private: true }));
      const locked = await sayId(ann, await channel({ is_private: true, password: "open sesame" }));
      const gone = await sayId(ann, await channel());
      await pin(ann, gone);
      await ann.delete(`/api/messages/${gone}`);
      const moderator = await staff(server, `mod${hidden}`, 1);
      for (const act of [pin, unpin]) {
        expectError(await act(ann, 999_999), 404, "message_not_found");
        for (const who of [bob, moderator]) {
          expectError(await act(who, hidden), 404, "message_not_found");
          expectError(await act(who, locked), 403, "password_required");
        }
        expectError(await act(ann, gone), 409, "message_deleted");
      }
      expectError(await ann.post("/api/messages/abc/pin"), 400, "invalid_id");
      expectError(await ann.post("/api/messages/0/unpin"), 400, "invalid_id");
    });

    test("end at fifty pins in a channel, also in parallel", async () => {
      const id = await channel();
      const ids: number[] = [];
      for (let n = 0; n < 56; n++) ids.push(await sayId(ann, id, `m${n}`));
      for (const messageId of ids.slice(0, 48)) expect((await pin(ann, messageId)).status).toBe(200);
      const answers = await Promise.all(ids.slice(48).map((messageId) => pin(ann, messageId)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 409, 409, 409, 409, 409, 409]);
      for (const refused of answers.filter(({ status }) => status === 409))
        expectError(refused, 409, "pin_limit_reached");
      expect(await pinnedIds(id)).toHaveLength(50);
      expect((await unpin(ann, ids[0] ?? 0)).status).toBe(200);
      expect((await pin(ann, ids[55] ?? 0)).status).toBe(200);
    });

    test("of one message in parallel pin it once", async () => {
      const id = await channel();
      const said = await sayId(ann, id);
      const before = await lastSeq(id);
      const answers = await Promise.all(Array.from({ length: 10 }, () => pin(ann, said)));
      expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
      expect(await lastSeq(id)).toBe(before + 1);
    });
  });

  describe("GET …/pins", () => {
    test("returns the messages as they are now, newest pin first", async () => {
      const id = await channel();
      expect((await pins(ann, id)).body).toEqual({ success: true, channel_id: id, messages: [] });
      const [first, second, third] = [await sayId(ann, id, "1"), await sayId(ann, id, "2"), await sayId(ann, id, "3")];
      for (const messageId of [second, third, first]) {
        const { pinned_at } = (await pin(ann, messageId)).body;
        await eventually("another millisecond", () => Date.now() > Date.parse(pinned_at));
      }
      await ann.put(`/api/messages/${third}`, { content: "changed" });
      const listed = await pins(server.guest, id);
      expect(listed.body.messages.map(({ content }: { content: string }) => content)).toEqual(["1", "changed", "2"]);
      const page = (await ann.get(`/api/messages?channel_id=${id}`)).body;
      expect(listed.body.messages).toContainEqual(page.messages[2]);
      await unpin(ann, first);
      await ann.delete(`/api/messages/${third}`);
      expect(await pinnedIds(id)).toEqual([second]);
      expect((await ann.get(`/api/messages?channel_id=${id}`)).body.messages[2]).toMatchObject({
        is_deleted: true,
        is_pinned: false,
        pinned_at: null,
        pinned_by: null,
      });
    });

    test("is allowed to everybody who can read the channel", async () => {
      const hidden = await channel({ is_private: true });
      const locked = await channel({ is_private: true, password: "open sesame" });
      const helper = await server.agent(`Helper ${hidden}`);
      for (const who of [bob, helper, server.guest]) {
        expectError(await pins(who, hidden), 404, "channel_not_found");
        expectError(await pins(who, locked), 403, "password_required");
      }
      expectError(await pins(ann, 999_999), 404, "channel_not_found");
      expectError(await ann.get("/api/channels/abc/pins"), 400, "invalid_id");
      for (const name of ["bob", `Helper ${hidden}`])
        expect((await ann.put(`/api/channels/${hidden}/members/${encodeURIComponent(name)}`, {})).status).toBe(200);
      for (const who of [ann, bob, helper]) expect((await pins(who, hidden)).status).toBe(200);
    });
  });
});

test("guests who cannot read see no pins", async () => {
  await using server = await startTestServer({ guestRead: false });
  expectError(await server.guest.get("/api/channels/1/pins"), 401, "session_required");
});
