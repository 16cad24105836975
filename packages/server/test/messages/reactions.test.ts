import { describe, expect, test } from "bun:test";
import { existingChannel } from "../../src/channels/access/access.ts";
import { history, historyFor } from "../../src/messages/history/history.service.ts";
import { user } from "../support/actors.ts";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { sayId } from "../support/say.ts";
import { type Client, startTestServer } from "../support/servers/test-server.ts";

/** Reactions over real HTTP, on every database (protocol §1, §2, §4). */
eachDatabase(async (_, open) => {
  const server = await forAllTests(startTestServer({}, { database: await open() }));
  const [ann, bob, helper] = [await server.user("ann"), await server.user("bob"), await server.agent("Helper")];

  /** Creates a channel of ann's with a message of hers. */
  async function room(settings: Record<string, unknown> = {}): Promise<{ id: number; slug: string; said: number }> {
    const made = await ann.post("/api/channels", { name: `Room ${crypto.randomUUID()}`, ...settings });
    expect(made.status).toBe(201);
    const { channel_id: id, channel_slug: slug } = made.body;
    return { id, slug, said: await sayId(ann, id) };
  }

  const path = (messageId: number, reaction: string): string =>
    `/api/messages/${messageId}/reactions/${encodeURIComponent(reaction)}`;
  const react = (who: Client, messageId: number, reaction: string) => who.put(path(messageId, reaction));
  const unreact = (who: Client, messageId: number, reaction: string) => who.delete(path(messageId, reaction));
  const kind = (reaction: string, count: number, me: boolean) => ({ reaction, count, me });
  const lastSeq = async (id: number): Promise<number> =>
    (await server.guest.get(`/api/messages?channel_id=${id}`)).body.last_seq;

  async function setMuted(channelId: number, name: string): Promise<void> {
    const muted_until = new Date(Date.now() + 60_000).toISOString();
    expect((await ann.put(`/api/channels/${channelId}/members/${name}`, { muted_until })).status).toBe(200);
  }

  describe("PUT and DELETE …/reactions/:reaction", () => {
    test("return the counts in the order of first use, and which are the caller's", async () => {
      const { id, said } = await room();
      const first = await react(ann, said, "👍");
      expect(first.status).toBe(200);
      expect(first.body).toEqual({ success: true, message_id: said, reactions: [kind("👍", 1, true)] });
      expect((await react(bob, said, "like")).body.reactions).toEqual([kind("👍", 1, false), kind("like", 1, true)]);
      expect((await react(bob, said, "👍")).body.reactions).toEqual([kind("👍", 2, true), kind("like", 1, true)]);
      expect((await react(helper, said, "❤")).body.reactions).toEqual([
        kind("👍", 2, false),
        kind("like", 1, false),
        kind("❤️", 1, true),
      ]);
      expect((await unreact(bob, said, "like")).body.reactions).toEqual([kind("👍", 2, true), kind("❤️", 1, false)]);
      const seq = await lastSeq(id);
      for (const again of [
        await react(ann, said, "👍"),
        await unreact(ann, said, "like"),
        await unreact(bob, said, "like"),
      ]) {
        expect(again.status).toBe(200);
        expect(again.body.reactions.map(({ count }: { count: number }) => count)).toEqual([2, 1]);
      }
      expect(await lastSeq(id)).toBe(seq);
    });

    test("answer 400 for a malformed reaction or id, and 401 for guests", async () => {
      const { said } = await room();
      for (const nonsense of ["no reaction", "👍👍", "x".repeat(33), "x".repeat(300), "Like", "%"]) {
        expectError(await react(ann, said, nonsense), 400, "invalid_reaction");
        expectError(await unreact(ann, said, nonsense), 400, "invalid_reaction");
      }
      expectError(await ann.put("/api/messages/abc/reactions/like"), 400, "invalid_id");
      expectError(await ann.delete("/api/messages/0/reactions/like"), 400, "invalid_id");
      expectError(await ann.put(`/api/messages/${said}/reactions/%00`), 400, "invalid_id");
      expectError(await react(server.guest, said, "like"), 401, "session_required");
      expectError(await unreact(server.guest, said, "like"), 401, "session_required");
      expectError(
        await ann.put(path(said, "like"), undefined, { headers: { "sec-fetch-site": "cross-site" } }),
        403,
        "cross_site",
      );
    });

    test("answer 404 for missing or hidden messages, and 403 without a required password", async () => {
      expectError(await react(ann, 999_999, "like"), 404, "message_not_found");
      expectError(await unreact(ann, 999_999, "like"), 404, "message_not_found");
      const hidden = await room({ is_private: true });
      const locked = await room({ is_private: true, password: "open sesame" });
      for (const stranger of [bob, helper]) {
        for (const act of [react, unreact]) {
          expectError(await act(stranger, hidden.said, "like"), 404, "message_not_found");
          expectError(await act(stranger, locked.said, "like"), 403, "password_required");
        }
      }
      for (const name of ["bob", "Helper"]) await ann.put(`/api/channels/${hidden.id}/members/${name}`, {});
      expect((await react(bob, hidden.said, "like")).status).toBe(200);
      expect((await react(helper, hidden.said, "like")).status).toBe(200);
    });

    test("answer 409 on a deleted message, which has no reactions", async () => {
      const { id, said } = await room();
      await react(bob, said, "like");
      expect((await ann.delete(`/api/messages/${said}`)).status).toBe(200);
      expectError(await react(bob, said, "wow"), 409, "message_deleted");
      expectError(await unreact(bob, said, "like"), 409, "message_deleted");
      for (const query of ["", "&after_seq=0", "&limit=200"]) {
        const { messages } = (await bob.get(`/api/messages?channel_id=${id}${query}`)).body;
        expect(messages[0]).toMatchObject({ id: said, is_deleted: true, reactions: [] });
      }
    });

    test("join a public channel when reacting, but not when removing a reaction", async () => {
      const { id, said } = await room();
      const cat = await server.user(`cat${crypto.randomUUID().slice(0, 8)}`);
      expect((await unreact(cat, said, "like")).status).toBe(200);
      expect((await cat.get(`/api/channels/${id}`)).body.channel.my_role).toBeNull();
      expect((await react(cat, said, "like")).status).toBe(200);
      expect((await cat.get(`/api/channels/${id}`)).body.channel.my_role).toBe("member");
    });

    test("refuse muted users, who can still remove reactions, and work where only admins post", async () => {
      const { id, said } = await room({});
      expect((await ann.put(`/api/channels/${id}`, { post_policy: "admins" })).status).toBe(200);
      expectError(await bob.post("/api/messages", { channel_id: id, content: "no" }), 403, "post_policy");
      for (const who of [bob, helper]) expect((await react(who, said, "like")).status).toBe(200);
      await setMuted(id, "bob");
      await setMuted(id, "Helper");
      for (const who of [bob, helper]) {
        expectError(await react(who, said, "wow"), 403, "muted");
        expect((await unreact(who, said, "like")).status).toBe(200);
      }
    });

    test("follow the channel's policy for agents", async () => {
      const { id, said } = await room();
      const spoken = await sayId(ann, id, "@Helper look");
      await ann.put(`/api/channels/${id}`, { agent_policy: "mention_only" });
      expectError(await react(helper, said, "like"), 403, "agents_not_allowed");
      expect((await react(helper, spoken, "👀")).status).toBe(200);
      await ann.put(`/api/channels/${id}`, { agent_policy: "deny" });
      expectError(await react(helper, spoken, "like"), 403, "agents_not_allowed");
      expect((await unreact(helper, spoken, "👀")).body.reactions).toEqual([]);
    });

    test("end at twenty kinds per message", async () => {
      const { said } = await room();
      for (let n = 0; n < 20; n++) expect((await react(ann, said, `r${n}`)).status).toBe(200);
      expectError(await react(ann, said, "r20"), 409, "reaction_limit_reached");
      expectError(await react(bob, said, "r20"), 409, "reaction_limit_reached");
      expect((await react(bob, said, "r7")).status).toBe(200);
      await unreact(ann, said, "r0");
      const after = await react(bob, said, "r20");
      expect(after.body.reactions.at(-1)).toEqual(kind("r20", 1, true));
    });
  });

  describe("a message returned to a caller", () => {
    test("marks the caller's own reactions on every page, and nobody else's", async () => {
      const { id, slug, said } = await room();
      const later = await sayId(bob, id, "later");
      await react(ann, said, "👍");
      await react(bob, said, "👍");
      await react(helper, later, "like");
      const marks = async (who: Client, query: string): Promise<boolean[]> => {
        const page = await who.get(query);
        expect(page.status).toBe(200);
        return page.body.messages.flatMap(({ reactions }: { reactions: { me: boolean }[] }) =>
          reactions.map(({ me }) => me),
        );
      };
      for (const query of ["", "&limit=200", "&limit=2", "&after_seq=0", `&around=${said}&limit=5`]) {
        const url = `/api/messages?channel_id=${id}${query}`;
        expect([url, await marks(ann, url)]).toEqual([url, [true, false]]);
        expect([url, await marks(server.guest, url)]).toEqual([url, [false, false]]);
        expect([url, await marks(helper, url)]).toEqual([url, [false, true]]);
        expect([url, await marks(bob, url)]).toEqual([url, [true, false]]);
      }
      expect(await marks(ann, `/api/messages?channel_id=${id}&before=${later}`)).toEqual([true]);
      const hub = `/api/agenthub/messages?channel_slug=${slug}`;
      for (const query of ["", "&after_seq=0", "&offset=0&limit=5"])
        expect(await marks(helper, `${hub}${query}`)).toEqual([false, true]);
      await ann.post(`/api/messages/${said}/pin`);
      expect(await marks(ann, `/api/channels/${id}/pins`)).toEqual([true]);
      expect(await marks(helper, `/api/channels/${id}/pins`)).toEqual([false]);
      expect(await marks(server.guest, `/api/channels/${id}/pins`)).toEqual([false]);
    });

    test("is the shared one, without a query, on a page without reactions", async () => {
      const { id, said } = await room();
      const channel = await existingChannel(server.ctx, { id });
      const reader = await user(server.ctx, `reader${id}`);
      const shared = await history(server.ctx, channel, {});
      expect(historyFor(server.ctx, reader, channel, {})).toBe(shared);
      await react(ann, said, "like");
      const asked = historyFor(server.ctx, reader, channel, {});
      expect(asked).toBeInstanceOf(Promise);
      expect(await asked).toBe(await history(server.ctx, channel, {}));
      await unreact(ann, said, "like");
      expect(historyFor(server.ctx, reader, channel, {})).toBe(await history(server.ctx, channel, {}));
    });

    test("has the marks after an edit, on a repeated send, and among an agent's missed messages", async () => {
      const { id, slug, said } = await room();
      await react(ann, said, "like");
      const edited = await ann.put(`/api/messages/${said}`, { content: "changed" });
      expect(edited.body.chat_message.reactions).toEqual([kind("like", 1, true)]);
      const send = { channel_id: id, content: "once", client_msg_id: `k-${id}` };
      const { message_id } = (await bob.post("/api/messages", send)).body;
      await react(bob, message_id, "wow");
      const again = await bob.post("/api/messages", send);
      expect(again.body).toMatchObject({ deduplicated: true, chat_message: { reactions: [kind("wow", 1, true)] } });
      await react(helper, said, "like");
      const stale = await helper.post("/api/agenthub/send", { channel_slug: slug, message: "x", expected_last_seq: 0 });
      expectError(stale, 409, "context_stale");
      const [first, second] = stale.body.details.messages;
      expect([first.reactions, second.reactions]).toEqual([[kind("like", 2, true)], [kind("wow", 1, false)]]);
    });
  });

  test("a like pays the author two points once per message and person, for ever", async () => {
    const { said } = await room();
    const points = async (): Promise<number> => (await ann.get("/api/user/ann")).body.points;
    // Five likes by one person pay per day, and bob has given some in this file.
    const cleo = await server.user("cleo");
    const before = await points();
    await react(ann, said, "like");
    await react(helper, said, "like");
    await react(cleo, said, "👍");
    expect(await points()).toBe(before);
    await react(cleo, said, "like");
    expect(await points()).toBe(before + 2);
    await unreact(cleo, said, "like");
    await react(cleo, said, "like");
    expect(await points()).toBe(before + 2);
    await react(cleo, await sayAgain(said), "like");
    expect(await points()).toBe(before + 4);
    const spoken = await helper.post("/api/agenthub/send", { channel_slug: "general", message: "mine" });
    expect((await react(bob, spoken.body.message_id, "like")).status).toBe(200);
  });

  async function sayAgain(messageId: number): Promise<number> {
    const { channel_id } = await server.ctx.db
      .selectFrom("messages")
      .select("channel_id")
      .where("id", "=", messageId)
      .executeTakeFirstOrThrow();
    return sayId(ann, channel_id, "again");
  }
});
