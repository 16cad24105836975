import { describe, expect, test } from "bun:test";
import { BLOCKS_PER_USER } from "@parley/protocol/limits";
import { eraseAll } from "../../src/privacy/erasing.ts";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { LiveSocket } from "../support/servers/live-socket.ts";
import type { Named } from "../support/servers/test-server.ts";
import { PASSWORD, startTestServer } from "../support/servers/test-server.ts";

/** Users block users and agents (protocol §2). */
eachDatabase(async (_, open) => {
  const count = 0;
  const server = await forAllTests(startTestServer({}, { database: await open() }));

  const block = (by: Named, name: string) => by.put(`/api/blocks/${encodeURIComponent(name)}`);
  const unblock = (by: Named, name: string) => by.delete(`/api/blocks/${encodeURIComponent(name)}`);
  const talk = (from: Named, to: Named) => from.post("/api/direct", { username: to.username });

  describe("the list of blocks", () => {
    test("adds users and agents in any case of their name, each once", async () => {
      const [ann, bob] = [await server.newUser(), await server.newUser()];
      await server.agent("Loud Bot");
      const { status, body } = await block(ann, bob.username.toUpperCase());
      expect(status).toBe(200);
      await block(ann, "loud_bot");
      const again = await block(ann, bob.username);
      expect(again.body.block).toEqual(body.block);
      const list = await ann.get("/api/blocks");
      expect(list.body.blocks).toMatchObject([
        { kind: "agent", name: "Loud Bot" },
        { kind: "user", name: bob.username },
      ]);
      expect((await bob.get("/api/blocks")).body.blocks).toEqual([]);
      expect((await ann.get(`/api/user/${ann.username}/export`)).body.blocks).toEqual(list.body.blocks);
      for (let i = 0; i < 2; i += 1) expect((await unblock(ann, "LOUD BOT")).body.name).toBe("Loud Bot");
      expect((await ann.get("/api/blocks")).body.blocks).toHaveLength(1);
    });

    test("refuses the user themselves and unknown names, and is limited in size", async () => {
      const ann = await server.newUser();
      expectError(await block(ann, ann.username), 400, "invalid_request");
      expectError(await block(ann, "nobody-at-all"), 404, "user_not_found");
      const { db } = server.ctx;
      const [row] = await db.selectFrom("users").select("id").where("username", "=", ann.username).execute();
      const [agent] = await db.selectFrom("agents").select("id").limit(1).execute();
      const rows = Array.from({ length: BLOCKS_PER_USER }, (_, i) => ({
        blocker_id: row?.id ?? 0,
        blocked_key: `a${1_000_000 + i}`,
        user_id: null,
        agent_id: agent?.id ?? i + 1,
        created_at: 0,
      }));
      await db.insertInto("user_blocks").values(rows.slice(0, 500)).execute();
      await db.insertInto("user_blocks").values(rows.slice(500)).execute();
      expectError(await block(ann, (await server.newUser()).username), 409, "block_limit_reached");
    });

    test("changes on all of the user's devices, and on nobody else's", async () => {
      const [ann, bob] = [await server.newUser(), await server.newUser()];
      await using atAnn = await LiveSocket.open(server.url, ann.credential);
      await using atBob = await LiveSocket.open(server.url, bob.credential);
      await block(ann, bob.username);
      await unblock(ann, bob.username);
      await Promise.all([atAnn.settle(), atBob.settle()]);
      expect(atAnn.all("block:update").map(({ data }) => data)).toEqual([
        { kind: "user", name: bob.username, blocked: true },
        { kind: "user", name: bob.username, blocked: false },
      ]);
      expect(atBob.all("block:update")).toEqual([]);
    });
  });

  describe("a direct conversation", () => {
    test("cannot be opened by either user after one has blocked the other", async () => {
      const [ann, bob] = [await server.newUser(), await server.newUser()];
      await block(ann, bob.username);
      expectError(await talk(bob, ann), 403, "blocked");
      expectError(await talk(ann, bob), 409, "user_blocked");
      // The blocker cannot see whether the block is mutual.
      await block(bob, ann.username);
      expectError(await talk(bob, ann), 409, "user_blocked");
      await unblock(bob, ann.username);
      await unblock(ann, bob.username);
      expect((await talk(bob, ann)).status).toBe(201);
    });

    test("stays readable if it exists, but refuses messages, reactions, pins and typing", async () => {
      const [ann, bob] = [await server.newUser(), await server.newUser()];
      const { channel_id } = (await talk(bob, ann)).body;
      const { message_id } = (await bob.post("/api/messages", { channel_id, content: "hello" })).body;
      await using atAnn = await LiveSocket.open(server.url, ann.credential);
      await using atBob = await LiveSocket.open(server.url, bob.credential);
      for (const socket of [atAnn, atBob]) await socket.ask("channel:join", { channel_id });
      await block(ann, bob.username);
      expectError(await talk(bob, ann), 403, "blocked");

      expectError(await bob.post("/api/messages", { channel_id, content: "answer me" }), 403, "blocked");
      expectError(await bob.put(`/api/messages/${message_id}`, { content: "answer me" }), 403, "blocked");
      expectError(await bob.put(`/api/messages/${message_id}/reactions/like`), 403, "blocked");
      expectError(await bob.post(`/api/messages/${message_id}/pin`), 403, "blocked");
      expectError(await ann.post(`/api/messages/${message_id}/pin`), 409, "user_blocked");
      const packet = { channel_id, total_amount: "1", count: 1 };
      expectError(await bob.post("/api/red-packets", packet), 403, "blocked");
      for (const [command, data] of [
        ["message:send", { channel_id, content: "answer me" }],
        ["message:edit", { message_id, content: "answer me" }],
        ["reaction:add", { message_id, reaction: "like" }],
        ["typing:start", { channel_id }],
      ] as const) {
        expect((await atBob.ask(command, data)).data).toMatchObject({ code: "blocked" });
      }
      expectError(await ann.post("/api/messages", { channel_id, content: "and you" }), 409, "user_blocked");
      await atAnn.settle();
      for (const event of ["message:new", "message:update", "reaction:update", "message:pin", "typing"]) {
        expect(atAnn.all(event)).toEqual([]);
      }

      for (const client of [ann, bob]) {
        expect((await client.get(`/api/messages?channel_id=${channel_id}`)).body.messages).toHaveLength(1);
      }
      expect((await bob.delete(`/api/messages/${message_id}`)).status).toBe(200);
      await unblock(ann, bob.username);
      expect((await bob.post("/api/messages", { channel_id, content: "again" })).status).toBe(201);
    });

    test("cannot be imitated by a channel: a blocked user cannot add the blocker to one", async () => {
      const [ann, bob] = [await server.newUser(), await server.newUser()];
      const { channel_id } = (await bob.post("/api/channels", { name: `Den ${count}`, is_private: true })).body;
      await block(ann, bob.username);
      const add = () => bob.put(`/api/channels/${channel_id}/members/${ann.username}`, {});
      expectError(await add(), 403, "blocked");
      await unblock(ann, bob.username);
      expect((await add()).status).toBe(200);
    });
  });

  describe("a mention", () => {
    test("by a blocked user or agent notifies the blocker of nothing; others see it and are notified as usual", async () => {
      const [ann, bob, cid] = [await server.newUser(), await server.newUser(), await server.newUser()];
      const bot = await server.agent(`Bot ${count}`);
      await using atAnn = await LiveSocket.open(server.url, ann.credential);
      await using atCid = await LiveSocket.open(server.url, cid.credential);
      await block(ann, bob.username);
      await block(ann, `Bot ${count}`);
      const content = `hi @${ann.username} and @${cid.username}`;
      const said = await bob.post("/api/messages", { channel_slug: "general", content });
      expect(said.body.chat_message.mentions).toHaveLength(2);
      const { message_id } = (await bob.post("/api/messages", { channel_slug: "general", content: "wait" })).body;
      await bob.put(`/api/messages/${message_id}`, { content });
      const send = { channel_slug: "general", agent_name: `Bot ${count}`, message: content };
      expect((await bot.post("/api/agenthub/send", send)).status).toBe(201);
      await cid.post("/api/messages", { channel_slug: "general", content: `@${ann.username} look` });
      const heard = (socket: LiveSocket) => socket.all("mention:new").map(({ data }) => data.chat_message.content);
      await atAnn.next("mention:new");
      await Promise.all([atAnn.settle(), atCid.settle()]);
      expect(heard(atAnn)).toEqual([`@${ann.username} look`]);
      expect(heard(atCid)).toEqual([content, content, content]);

      await unblock(ann, bob.username);
      await bob.post("/api/messages", { channel_slug: "general", content });
      await atAnn.find(({ event, data }) => event === "mention:new" && data.chat_message.username === bob.username);
    });
  });

  test("deleting an account removes the blocks by and against it", async () => {
    const [ann, bob] = [await server.newUser(), await server.newUser()];
    await block(ann, bob.username);
    await block(bob, ann.username);
    await bob.delete(`/api/user/${bob.username}`, { body: { password: PASSWORD } });
    await eraseAll(server.ctx);
    expect((await ann.get("/api/blocks")).body.blocks).toEqual([]);
    const rows = await server.ctx.db
      .selectFrom("user_blocks")
      .innerJoin("users", "users.id", "user_blocks.blocker_id")
      .select("users.username")
      .where("users.username", "in", ["deleted-user", ann.username])
      .execute();
    expect(rows).toEqual([]);
  });
});
