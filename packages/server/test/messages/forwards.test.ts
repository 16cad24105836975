import { describe, expect, test } from "bun:test";
import { purgePass } from "../../src/channels/deleted/purge.ts";
import { purgeSome } from "../../src/messages/removal.ts";
import { searchConsumer } from "../../src/search/index/message-index.ts";
import { datedClock } from "../support/clock.ts";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { forward, forwarded, sourcesFor, textsIn } from "../support/forwards.ts";
import { newChannel } from "../support/new-channel.ts";
import { tell } from "../support/rights/people.ts";
import { say, sayId } from "../support/say.ts";
import { TestSocket } from "../support/servers/socket.ts";
import { startTestServer } from "../support/servers/test-server.ts";
import { staff } from "../support/staff.ts";

const DAYS = { retention_days: 30 };
const LINK = { is_copy: false, content: null, username: null, agent_name: null, webhook_name: null, created_at: null };

/** Protocol §13.15 over real HTTP. */
eachDatabase(async (_, open) => {
  const clock = datedClock();
  const server = await forAllTests(startTestServer({ rateLimits: "off" }, { database: await open(), clock }));
  const [ann, ben] = [await server.newUser(), await server.newUser()];

  describe("a copy", () => {
    test("has the text, its writer and its time, and everybody who listens gets it", async () => {
      const [from, to] = [await newChannel(ann), await newChannel(ben)];
      const { message_id: id, chat_message: source } = await say(ann, from.id, "first line\nsecond **line**");
      using socket = await TestSocket.open(server.url, { cookie: ben.credential.cookie ?? "" });
      await socket.command("channel:join", { channel_id: to.id });
      const made = await forwarded(ben, id, to.id, { comment: "Read this" });
      expect(made).toMatchObject({
        type: "text",
        username: ben.username,
        content: "Read this\n\nForwarded message:\n> first line\n> second **line**",
        forwarded: {
          is_copy: true,
          content: "first line\nsecond **line**",
          username: ann.username,
          agent_name: null,
          webhook_name: null,
          created_at: source.created_at,
          comment_length: "Read this".length,
        },
      });
      const { data } = await socket.next(
        ({ event, data }) => event === "message:new" && data.chat_message.id === made.id,
      );
      expect(data.chat_message.forwarded).toEqual(made.forwarded);
      expect((await ben.get(`/api/messages?channel_id=${to.id}`)).body.messages.at(-1)).toEqual(made);
      expect(await sourcesFor(ben, made.id, id)).toMatchObject([
        { message_id: made.id, chat_message: { id, channel_id: from.id, channel_slug: from.slug } },
      ]);
      await searchConsumer(server.ctx).flush();
      for (const q of ["second", "Read"]) {
        const { messages } = (await ben.get(`/api/search/messages?q=${q}&channel_id=${to.id}`)).body;
        expect(messages.map((found: { id: number }) => found.id)).toEqual([made.id]);
      }
    });

    test("without a comment, or with a blank one, is the quote alone", async () => {
      const { id } = await newChannel(ann);
      const source = await sayId(ann, id, "alone");
      for (const comment of [undefined, null, "", " \n "]) {
        const made = await forwarded(ann, source, id, { comment });
        expect([made.content, made.forwarded.comment_length]).toEqual(["Forwarded message:\n> alone", 0]);
      }
    });

    test("of an agent, and of a webhook, has its name", async () => {
      const { id, slug } = await newChannel(ann);
      const agent = await server.agent("Courier");
      const sent = await agent.post("/api/agenthub/send", {
        channel_slug: slug,
        message: "by an agent",
        agent_name: "Courier",
      });
      expect((await forwarded(ann, sent.body.message_id, id)).forwarded).toMatchObject({
        content: "by an agent",
        username: null,
        agent_name: "Courier",
      });
      const { url } = (await ann.post(`/api/channels/${id}/incoming-webhooks`, { name: "Builds" })).body;
      await server.guest.post(new URL(url).pathname, { text: "build done" });
      const [last] = (await ann.get(`/api/messages?channel_id=${id}`)).body.messages.slice(-1);
      expect((await forwarded(ann, last.id, id)).forwarded).toMatchObject({ username: null, webhook_name: "Builds" });
    });

    test("keeps its text when the source is changed or deleted, and the link follows the source", async () => {
      const { id } = await newChannel(ann);
      const source = await sayId(ann, id, "before");
      const made = await forwarded(ann, source, id);
      await ann.put(`/api/messages/${source}`, { content: "after" });
      expect(await sourcesFor(ann, made.id)).toMatchObject([{ chat_message: { content: "after" } }]);
      await ann.delete(`/api/messages/${source}`);
      expect(await sourcesFor(ann, made.id)).toEqual([]);
      const [last] = (await ann.get(`/api/messages?channel_id=${id}`)).body.messages.slice(-1);
      expect(last.forwarded.content).toBe("before");
      expectError(await forward(ann, source, { channel_id: id }), 409, "message_deleted");
    });

    test("of a copy has the first source and no earlier comment", async () => {
      const [from, via, to] = [await newChannel(ann), await newChannel(ann), await newChannel(ann)];
      const source = await sayId(ann, from.id, "the source");
      const first = await forwarded(ben, source, via.id, { comment: "look" });
      const second = await forwarded(ann, first.id, to.id, { comment: "again" });
      expect(second.forwarded).toEqual({ ...first.forwarded, comment_length: 5 });
      expect(second.content).toBe("again\n\nForwarded message:\n> the source");
      expect(await sourcesFor(ann, second.id)).toMatchObject([{ chat_message: { id: source } }]);
      await ann.put(`/api/channels/${from.id}`, DAYS);
      expect((await forwarded(ann, first.id, to.id)).forwarded).toEqual({ ...LINK, comment_length: 0 });
    });

    test("cannot be edited, and its reactions, deletion and report work as for any other", async () => {
      const { id } = await newChannel(ann);
      const made = await forwarded(ann, await sayId(ann, id, "not my words"), id);
      expectError(await ann.put(`/api/messages/${made.id}`, { content: "mine" }), 409, "forward_not_editable");
      expect((await ben.put(`/api/messages/${made.id}/reactions/like`, {})).status).toBe(200);
      expect((await ben.post(`/api/messages/${made.id}/report`, { reason: "spam" })).status).toBe(201);
      expect((await ann.delete(`/api/messages/${made.id}`)).status).toBe(200);
      const [last] = (await ann.get(`/api/messages?channel_id=${id}`)).body.messages.slice(-1);
      expect([last.is_deleted, last.content, last.forwarded]).toEqual([true, "", undefined]);
    });

    test("fits with the longest comment and text, and no line of it stands outside of the quote", async () => {
      const { id } = await newChannel(ann);
      const long = "🦆".repeat(4_000);
      const made = await forwarded(ann, await sayId(ann, id, long), id, { comment: long });
      expect(made.forwarded.content).toBe(long);
      expect(made.content.slice(0, made.forwarded.comment_length)).toBe(long);
      expectError(await forward(ann, made.id, { channel_id: id, comment: `${long}x` }), 400, "message_too_long");
      const lines = ["a", "b", "c", "d", "e", "f"];
      const [n, r, line, paragraph, form] = ["\n", "\r", "\u2028", "\u2029", "\f"];
      const source = await sayId(ann, id, `a${n}b${r}c${line}d${paragraph}e${form}f`);
      expect((await forwarded(ann, source, id)).content).toBe(
        `Forwarded message:\n${lines.map((each) => `> ${each}`).join("\n")}`,
      );
    });
  });

  describe("a link alone", () => {
    test("goes along from a channel with a limit of age, and each reader's rights decide what it shows", async () => {
      const [from, to] = [await newChannel(ann, { is_private: true, ...DAYS }), await newChannel(ann)];
      const source = await sayId(ann, from.id, "it must not outlast the channel");
      const made = await forwarded(ann, source, to.id, { comment: "see there" });
      expect(made.forwarded).toEqual({ ...LINK, comment_length: "see there".length });
      expect(made.content).toBe("see there\n\n(Forwarded message)");
      expect(await sourcesFor(ann, made.id)).toMatchObject([{ chat_message: { id: source } }]);
      const shown = JSON.stringify((await ben.get(`/api/messages?channel_id=${to.id}`)).body);
      for (const word of ["outlast", from.slug, `"channel_id":${from.id},`]) expect(shown).not.toContain(word);
      expect(await sourcesFor(ben, made.id)).toEqual([]);
      expect(await sourcesFor(server.guest, made.id)).toEqual([]);
      await ann.put(`/api/channels/${from.id}/members/${ben.username}`, {});
      expect(await sourcesFor(ben, made.id)).toMatchObject([{ chat_message: { id: source } }]);
      await ann.delete(`/api/channels/${from.id}/members/${ben.username}`);
      expect(await sourcesFor(ben, made.id)).toEqual([]);
    });

    test("goes along from a message with an end, and shows nothing after it", async () => {
      const { id } = await newChannel(ann);
      const source = await sayId(ann, id, "brief", { expires_in: 60 });
      const made = await forwarded(ann, source, id);
      expect(made.forwarded.is_copy).toBe(false);
      expect((await forwarded(ann, made.id, id)).forwarded.is_copy).toBe(false);
      clock.ahead += 61_000;
      expect(await sourcesFor(ann, made.id)).toEqual([]);
      expect((await forward(ann, source, { channel_id: id })).status).toBeOneOf([404, 409]);
    });

    test("goes along from a channel with a price, to its members only", async () => {
      const [from, to] = [await newChannel(ann), await newChannel(ann)];
      const source = await sayId(ann, from.id, "sold");
      const price = JSON.stringify({ amount: "1000", currency: "ETH", chain_id: 31_337 });
      await server.ctx.db.updateTable("channels").set({ price }).where("id", "=", from.id).execute();
      await tell(server.ctx, "channel_changed", from.id);
      const made = await forwarded(ann, source, to.id);
      expect(made.forwarded.is_copy).toBe(false);
      expect(await sourcesFor(ann, made.id)).toHaveLength(1);
      expect(await sourcesFor(ben, made.id)).toEqual([]);
      expect((await forward(ben, source, { channel_id: to.id })).status).toBeOneOf([402, 503]);
    });

    test("is not shown by a site level", async () => {
      const [from, to] = [await newChannel(ann, { is_private: true }), await newChannel(ann)];
      const made = await forwarded(ann, await sayId(ann, from.id, "between us"), to.id);
      const administrator = await staff(server, "ruth", 2);
      expect(await sourcesFor(administrator, made.id)).toEqual([]);
      const copied = (await administrator.get(`/api/messages?channel_id=${to.id}`)).body.messages.at(-1);
      expect(copied.forwarded.content).toBe("between us");
    });
  });

  test("a repetition gets the first answer, whatever has become of the source", async () => {
    const { id } = await newChannel(ann);
    const source = await sayId(ann, id, "once");
    const body = { channel_id: id, comment: "look", client_msg_id: "key-1" };
    const first = await forward(ann, source, body);
    await ann.put(`/api/messages/${source}`, { content: "changed" });
    const again = await forward(ann, source, body);
    expect([again.status, again.body.deduplicated, again.body.message_id]).toEqual([200, true, first.body.message_id]);
    await ann.delete(`/api/messages/${source}`);
    expect((await forward(ann, source, body)).body.chat_message).toEqual(first.body.chat_message);
    expectError(await forward(ann, source, { ...body, comment: "other" }), 409, "idempotency_conflict");
    const other = await sayId(ann, id, "other");
    expectError(await forward(ann, other, body), 409, "idempotency_conflict");
    expectError(
      await ann.post("/api/messages", { channel_id: id, content: "plain", client_msg_id: "key-1" }),
      409,
      "idempotency_conflict",
    );
    const headers = { "idempotency-key": "forward-key" };
    const keyed = () => ann.post(`/api/messages/${other}/forward`, { channel_id: id }, { headers });
    const [one, two] = [await keyed(), await keyed()];
    expect([one.status, two.status, two.body.message_id]).toEqual([201, 200, one.body.message_id]);
    expect((await textsIn(ann, id)).filter((text) => text.startsWith("look"))).toHaveLength(1);
  });

  test("a purge of the channel leaves no row that says where its messages came from", async () => {
    const room = await newChannel(ann);
    const made = await forwarded(ann, await sayId(ann, "general", "kept"), room.id);
    await sayId(ann, "general", "the newest of all");
    await ann.delete(`/api/channels/${room.id}`);
    await server.ctx.db.updateTable("channels").set({ deleted_at: 1 }).where("id", "=", room.id).execute();
    while (await purgePass(server.ctx, purgeSome));
    const rows = server.ctx.db.selectFrom("forwards").select("message_id").where("message_id", "=", made.id);
    expect(await rows.execute()).toEqual([]);
  });
});
