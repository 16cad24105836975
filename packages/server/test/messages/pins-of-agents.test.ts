import { describe, expect, test } from "bun:test";
import { eraseAll } from "../../src/privacy/erasing.ts";
import { stillClock } from "../support/clock.ts";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { newChannel } from "../support/new-channel.ts";
import { say, sayId } from "../support/say.ts";
import { TestSocket } from "../support/servers/socket.ts";
import { type Client, PASSWORD, startTestServer } from "../support/servers/test-server.ts";
import { asBot } from "../support/telegram.ts";

/** Pins of agents: by Parley's own routes and by the Telegram door (protocol §1, §4, §15.5). */
eachDatabase(async (_, open) => {
  const config = { rateLimits: "off" as const, agentLoopLimit: 0 };
  const server = await forAllTests(startTestServer(config, { database: await open() }));
  const [ann, bob] = [await server.user("ann"), await server.user("bob")];
  const pin = (who: Client, id: number, body?: object) => who.post(`/api/messages/${id}/pin`, body);
  const unpin = (who: Client, id: number) => who.post(`/api/messages/${id}/unpin`);
  let made = 0;

  /** A channel in which members pin, and an agent that was added to it. */
  async function scene(settings: object = {}) {
    const name = `Pinner ${++made}`;
    const agent = await server.agent(name);
    const { id, slug } = await newChannel(ann, { pin_policy: "members", ...settings });
    expect((await ann.put(`/api/channels/${id}/members/${encodeURIComponent(name)}`, {})).status).toBe(200);
    return { agent, agentId: agent.agentId, name, id, slug };
  }
  const recordOf = async (id: number, messageId: number) =>
    (await ann.get(`/api/messages?channel_id=${id}&ids=${messageId}`)).body.messages[0];

  describe("an agent that was added to the channel", () => {
    test("pins under the name that it gives, and the record, the event, the list and the export name it", async () => {
      const { agent, agentId, name, id } = await scene();
      const said = await sayId(ann, id, "pin me");
      using socket = await TestSocket.open(server.url, bob.credential);
      await socket.command("channel:join", { channel_id: id });
      const other = `${name} too`;
      const pinned = await pin(agent, said, { agent_name: other });
      const author = { is_pinned: true, pinned_by: other, pinned_by_agent_id: agentId };
      expect([pinned.status, pinned.body]).toEqual([200, expect.objectContaining({ message_id: said, ...author })]);
      expect((await socket.next(({ event }) => event === "message:pin")).data).toMatchObject({
        message_id: said,
        ...author,
      });
      expect(await recordOf(id, said)).toMatchObject(author);
      expect((await bob.get(`/api/channels/${id}/pins`)).body.messages).toMatchObject([author]);
      const { pins } = (await ann.get(`/api/channels/${id}/export?format=json`)).body;
      expect(pins).toEqual([
        { message_id: said, pinned_at: pinned.body.pinned_at, pinned_by: other, pinned_by_agent_id: agentId },
      ]);
      const unpinned = await unpin(agent, said);
      expect(unpinned.body).toMatchObject({ is_pinned: false, pinned_by: null });
      expect("pinned_by_agent_id" in unpinned.body || "pinned_by_agent_id" in (await recordOf(id, said))).toBe(false);
    });

    test("pins by default under its name in the channel, and a person's pin after it is the person's", async () => {
      const { agent, name, id, slug } = await scene();
      const said = await sayId(ann, id);
      expect((await pin(agent, said)).body.pinned_by).toBe(name);
      await unpin(ann, said);
      const alias = `${name} here`;
      await agent.post("/api/agenthub/login", { channel_slug: slug, agent_name: alias });
      expect((await pin(agent, said, {})).body.pinned_by).toBe(alias);
      await unpin(agent, said);
      const record = { ...(await pin(ann, said)).body, ...(await recordOf(id, said)) };
      expect([record.pinned_by, "pinned_by_agent_id" in record]).toEqual(["ann", false]);
    });

    test("cannot pin under a name of somebody else, and a refused pin binds no name", async () => {
      const { agent, id } = await scene();
      const said = await sayId(ann, id);
      const other = await scene();
      for (const [agent_name, status, code] of [
        ["ann", 409, "agent_name_taken"],
        [other.name, 409, "agent_name_taken"],
        ["-", 400, "invalid_agent_name"],
      ] as const)
        expectError(await pin(agent, said, { agent_name }), status, code);
      const free = `Free ${made}`;
      expectError(
        await pin(agent, await sayId(ann, (await newChannel(ann)).id), { agent_name: free }),
        403,
        "forbidden",
      );
      expect((await pin(other.agent, await sayId(ann, other.id), { agent_name: free })).status).toBe(200);
    });

    test("is refused where only admins pin, where agents may not write, and while it is muted", async () => {
      const { agent, name, id } = await scene();
      const said = await sayId(ann, id);
      await ann.put(`/api/channels/${id}`, { pin_policy: "admins" });
      expectError(await pin(agent, said), 403, "forbidden");
      await ann.put(`/api/channels/${id}`, { pin_policy: "members", agent_policy: "deny" });
      expectError(await pin(agent, said), 403, "agents_not_allowed");
      await ann.put(`/api/channels/${id}`, { agent_policy: "mention_only" });
      expectError(await pin(agent, said), 403, "agents_not_allowed");
      const named = await sayId(ann, id, `@${name} pin this`);
      expect((await pin(agent, named)).status).toBe(200);
      expect((await unpin(agent, named)).status).toBe(200);
      await ann.put(`/api/channels/${id}`, { agent_policy: "allow" });
      const later = new Date(Date.now() + 3_600_000).toISOString();
      await ann.put(`/api/channels/${id}/members/${encodeURIComponent(name)}`, { muted_until: later });
      for (const act of [pin, unpin]) expectError(await act(agent, said), 403, "muted");
      await ann.delete(`/api/channels/${id}/members/${encodeURIComponent(name)}`);
      for (const act of [pin, unpin]) expectError(await act(agent, said), 403, "forbidden");
    });

    test("pins in a direct conversation until the person blocks it", async () => {
      const { agent, agentId, name } = await scene();
      await server.ctx.db.updateTable("agents").set({ dm_policy: "everyone" }).where("id", "=", agentId).execute();
      const { channel } = (await bob.post("/api/direct", { agent_name: name })).body;
      const said = await sayId(bob, channel.id);
      expect((await pin(agent, said)).body).toMatchObject({ pinned_by: name });
      expect((await bob.put(`/api/blocks/${encodeURIComponent(name)}`)).status).toBe(200);
      expectError(await unpin(agent, said), 403, "blocked");
    });

    test("stays the author of its pin when a person's account is erased", async () => {
      const { agent, agentId, name, id } = await scene();
      const gone = await server.newUser();
      const said = await sayId(gone, id);
      await pin(agent, said);
      const path = `/api/user/${gone.username}`;
      expect((await gone.delete(path, { body: { password: PASSWORD } })).status).toBe(200);
      await eraseAll(server.ctx);
      expect(await recordOf(id, said)).toMatchObject({ pinned_by: name, pinned_by_agent_id: agentId });
    });
  });

  test("a deleted message has no pin and no author of one", async () => {
    const { agent, id } = await scene();
    const said = await sayId(ann, id);
    await pin(agent, said);
    await ann.delete(`/api/messages/${said}`);
    const row = await server.ctx.db.selectFrom("messages").selectAll().where("id", "=", said).executeTakeFirstOrThrow();
    expect([row.pinned_at, row.pinned_by, row.pinned_agent_id]).toEqual([null, null, null]);
  });

  describe("a bot", () => {
    test("pins under its own name, unpins one, the newest, and all", async () => {
      const { agent, agentId, name, id } = await scene();
      const bot = await asBot(server, { agentId, apiKey: agent.apiKey });
      const chat_id = -(1_000_000_000_000 + id);
      await agent.post("/api/agenthub/login", {
        channel_slug: (await recordOf(id, await sayId(ann, id))).channel_slug,
        agent_name: `${name} also`,
      });
      const [one, two, three] = [await sayId(ann, id, "1"), await sayId(ann, id, "2"), await sayId(ann, id, "3")];
      for (const message_id of [one, two, three]) {
        expect(await bot.ask("pinChatMessage", { chat_id, message_id, disable_notification: true })).toBe(true);
        expect((await recordOf(id, message_id)).pinned_by).toBe(name);
      }
      const pins = async () =>
        (await ann.get(`/api/channels/${id}/pins`)).body.messages.map(({ content }: { content: string }) => content);
      expect(await bot.ask("unpinChatMessage", { chat_id, message_id: one })).toBe(true);
      expect(await pins()).toEqual(["3", "2"]);
      expect(await bot.ask("unpinChatMessage", { chat_id })).toBe(true);
      expect(await pins()).toEqual(["2"]);
      await pin(ann, one);
      expect(await bot.ask("unpinAllChatMessages", { chat_id })).toBe(true);
      expect(await pins()).toEqual([]);
      const missing = async (method: string, fields: object) =>
        (await bot.call(method, { chat_id, ...fields })).body.description;
      expect(await missing("unpinChatMessage", {})).toBe("Bad Request: message to unpin not found");
      expect(await missing("unpinChatMessage", { message_id: 999_999 })).toBe(
        "Bad Request: message to unpin not found",
      );
      expect(await missing("pinChatMessage", { message_id: 999_999 })).toBe("Bad Request: message to pin not found");
      expect(await missing("pinChatMessage", {})).toBe("Bad Request: message to pin not found");
    });

    test("is refused in Telegram's words where only admins pin", async () => {
      const { agent, agentId, id } = await scene({ pin_policy: "admins" });
      const bot = await asBot(server, { agentId, apiKey: agent.apiKey });
      const message_id = await sayId(ann, id);
      await pin(ann, message_id);
      for (const method of ["pinChatMessage", "unpinChatMessage", "unpinAllChatMessages"]) {
        const { status, body } = await bot.call(method, { chat_id: -id, message_id });
        expect([method, status, body.description]).toEqual([
          method,
          400,
          "Bad Request: not enough rights to manage pinned messages in the chat",
        ]);
      }
    });
  });
});

test("pins count against a rate of 120 a minute", async () => {
  await using server = await startTestServer({ rateFactor: 1 }, { clock: stillClock() });
  const ann = await server.user("ann");
  const { id } = await newChannel(ann);
  const { message_id } = await say(ann, id, "again and again");
  const act = (n: number) => ann.post(`/api/messages/${message_id}/${n % 2 === 0 ? "pin" : "unpin"}`);
  for (let n = 0; n < 120; n++) expect((await act(n)).status).toBe(200);
  expectError(await act(120), 429, "rate_limited");
});
