import { expect, test } from "bun:test";
import { declarersAmong } from "../../src/agents/commands/commands.service.ts";
import { eraseOwnership } from "../../src/agents/erase.ts";
import { existingChannel } from "../../src/channels/access/access.ts";
import { transact } from "../../src/db/transact.ts";
import { BEGINNING } from "../../src/erasure.ts";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { newChannel } from "../support/new-channel.ts";
import { type Client, startTestServer } from "../support/servers/test-server.ts";
import { asBot } from "../support/telegram.ts";

const COMMANDS = "/api/agenthub/commands";
const DEPLOY = { command: "deploy", description: "Deploy a branch" };
const STATUS = { command: "status", description: "Say what runs" };

/** Protocol §5, "Commands", over real HTTP. */
eachDatabase(async (_, open) => {
  const server = await forAllTests(startTestServer({ rateLimits: "off" }, { database: await open() }));
  const ann = await server.user("ann");

  let made = 0;
  const newAgent = async () => {
    const name = `Helper ${++made}`;
    return Object.assign(await server.agent(name), { name });
  };
  const shown = async (reader: Client, channelId: number, query = "") =>
    (await reader.get(`/api/channels/${channelId}/commands${query}`)).body.agents;

  test("a channel shows the commands of the agents that are in it, in the order of their lists", async () => {
    const room = await newChannel(ann);
    const [first, second] = [await newAgent(), await newAgent()];
    const set = await first.put(COMMANDS, { commands: [STATUS, DEPLOY] });
    expect(set.body).toEqual({
      success: true,
      agent_id: first.agentId,
      agent_name: first.name,
      channel_slug: null,
      commands: [STATUS, DEPLOY],
    });
    await second.put(COMMANDS, { agent_name: second.name, commands: [DEPLOY] });
    expect(await shown(ann, room.id)).toEqual([]);

    await first.post("/api/agenthub/login", { channel_slug: room.slug, agent_name: first.name });
    await ann.put(`/api/channels/${room.id}/members/${second.name}`, {});
    const both = [
      { agent_id: first.agentId, agent_name: first.name, commands: [STATUS, DEPLOY] },
      { agent_id: second.agentId, agent_name: second.name, commands: [DEPLOY] },
    ];
    expect(await shown(ann, room.id)).toEqual(both);
    expect(await shown(server.guest, room.id)).toEqual(both);

    const paged = await ann.get(`/api/channels/${room.id}/commands?limit=1&offset=1`);
    expect(paged.body).toEqual({
      success: true,
      channel_id: room.id,
      agents: both.slice(1),
      has_more: false,
      next_offset: null,
      limit: 1,
    });

    await first.post("/api/agenthub/logout", { channel_slug: room.slug });
    expect(await shown(ann, room.id)).toEqual(both.slice(1));
    await ann.delete(`/api/channels/${room.id}/members/${second.name}`);
    expect(await shown(ann, room.id)).toEqual([]);
  });

  test("the list of one channel takes the place of the general one there, until it is removed", async () => {
    const [room, other] = [await newChannel(ann), await newChannel(ann)];
    const agent = await newAgent();
    for (const { slug } of [room, other])
      await agent.post("/api/agenthub/login", { channel_slug: slug, agent_name: agent.name });
    await agent.put(COMMANDS, { commands: [DEPLOY] });
    const set = await agent.put(COMMANDS, { channel_slug: room.slug, commands: [STATUS] });
    expect(set.body.channel_slug).toBe(room.slug);
    expect((await shown(ann, room.id))[0].commands).toEqual([STATUS]);
    expect((await shown(ann, other.id))[0].commands).toEqual([DEPLOY]);
    await agent.put(COMMANDS, { channel_slug: room.slug, commands: [] });
    expect((await shown(ann, room.id))[0].commands).toEqual([DEPLOY]);
  });

  test("a direct conversation shows the commands of its agent's name alone", async () => {
    const agent = await newAgent();
    const other = `${agent.name} too`;
    await agent.put(COMMANDS, { commands: [DEPLOY] });
    await agent.put(COMMANDS, { agent_name: other, commands: [STATUS] });
    await server.ctx.db.updateTable("agents").set({ dm_policy: "everyone" }).where("id", "=", agent.agentId).execute();
    const { body } = await ann.post("/api/direct", { agent_name: other });
    expect(await shown(ann, body.channel_id)).toEqual([
      { agent_id: agent.agentId, agent_name: other, commands: [STATUS] },
    ]);
  });

  test("a bot's lists for groups, direct conversations, admins and languages apply to their readers", async () => {
    const room = await newChannel(ann);
    const agent = await newAgent();
    const bot = await asBot(server, agent);
    await agent.post("/api/agenthub/login", { channel_slug: room.slug, agent_name: agent.name });
    const only = (command: string) => [{ command, description: "x" }];
    const lists = [
      ["plain", {}],
      ["groups", { scope: { type: "all_group_chats" } }],
      ["gruppen", { scope: { type: "all_group_chats" }, language_code: "de" }],
      ["private", { scope: { type: "all_private_chats" } }],
      ["admins", { scope: { type: "all_chat_administrators" } }],
    ] as const;
    for (const [command, place] of lists) await bot.ask("setMyCommands", { commands: only(command), ...place });
    for (const [command, place] of lists) expect(await bot.ask("getMyCommands", place)).toEqual(only(command));

    const bob = await server.newUser();
    const seen = async (reader: Client, query = "") =>
      (await shown(reader, room.id, query))[0].commands.map((each: { command: string }) => each.command);
    expect(await seen(bob)).toEqual(["groups"]);
    expect(await seen(bob, "?language=de")).toEqual(["gruppen"]);
    expect(await seen(bob, "?language=fr")).toEqual(["groups"]);
    expect(await seen(ann)).toEqual(["admins"]);
    const chat = { type: "chat", chat_id: -(1_000_000_000_000 + room.id) };
    await bot.ask("setMyCommands", { commands: only("here"), scope: chat });
    expect(await seen(bob)).toEqual(["here"]);
    for (const scope of [chat, { type: "all_group_chats" }]) await bot.ask("deleteMyCommands", { scope });
    expect(await seen(bob)).toEqual(["plain"]);

    const channel = await existingChannel(server.ctx, { id: room.id });
    const declares = async (command: string) =>
      (await declarersAmong(server.ctx, channel, command, [agent.name, "Nobody"])).length;
    expect([
      await declares("plain"),
      await declares("pla_n"),
      await declares("gruppen"),
      await declares("private"),
    ]).toEqual([1, 0, 1, 0]);
  });

  test("only agents that can answer are shown: a paused one and one without a key are not", async () => {
    const room = await newChannel(ann);
    const agent = await newAgent();
    await agent.put(COMMANDS, { commands: [DEPLOY] });
    await ann.put(`/api/channels/${room.id}/members/${agent.name}`, {});
    const pause = (paused: 0 | 1) =>
      server.ctx.db.updateTable("agents").set({ paused }).where("id", "=", agent.agentId).execute();
    await pause(1);
    expect(await shown(ann, room.id)).toEqual([]);
    await pause(0);
    expect(await shown(ann, room.id)).toHaveLength(1);
    await server.ctx.db.updateTable("api_keys").set({ revoked_at: 1 }).where("id", "=", agent.keyId).execute();
    expect(await shown(ann, room.id)).toEqual([]);
  });

  test("names, descriptions and lists that are too long or unseen are refused, and controls are removed", async () => {
    const agent = await newAgent();
    const refused = [
      [{ command: "Deploy", description: "x" }],
      [{ command: "", description: "x" }],
      [{ command: "a".repeat(33), description: "x" }],
      [{ command: "a", description: "" }],
      [{ command: "a", description: "x".repeat(257) }],
      [{ command: "a", description: "\u200b \u2800" }],
      [DEPLOY, DEPLOY],
      Array.from({ length: 101 }, (_, index) => ({ command: `c${index}`, description: "x" })),
    ];
    for (const commands of refused) expectError(await agent.put(COMMANDS, { commands }), 400, "invalid_request");
    const { body } = await agent.put(COMMANDS, { commands: [{ command: "a", description: "one\n\u202etwo" }] });
    expect(body.commands).toEqual([{ command: "a", description: "one two" }]);
    const shared = await agent.put(COMMANDS, { agent_name: "PlatformAgent", commands: [DEPLOY] });
    expectError(shared, 400, "invalid_agent_name");
  });

  test("an agent declares nothing for a channel that it may not read, and nothing under another's name", async () => {
    const [agent, other] = [await newAgent(), await newAgent()];
    const secret = await newChannel(ann, { is_private: true });
    const there = await agent.put(COMMANDS, { channel_slug: secret.slug, commands: [DEPLOY] });
    expectError(there, 404, "channel_not_found");
    const theirs = await agent.put(COMMANDS, { agent_name: other.name, commands: [DEPLOY] });
    expectError(theirs, 409, "agent_name_taken");
    expectError(await server.guest.get(`/api/channels/${secret.id}/commands`), 404, "channel_not_found");
  });

  test("a key that is limited to a channel sets the commands of that channel only", async () => {
    const room = await newChannel(ann);
    const agent = await newAgent();
    await server.ctx.db
      .updateTable("api_keys")
      .set({ channels: JSON.stringify([room.id]) })
      .where("id", "=", agent.keyId)
      .execute();
    expectError(await agent.put(COMMANDS, { commands: [DEPLOY] }), 403, "channel_not_in_scope");
    const bot = await asBot(server, agent);
    const { status, body } = await bot.call("setMyCommands", { commands: [DEPLOY] });
    expect([status, body.description]).toEqual([
      403,
      "Forbidden: this key is limited to some chats: use the scope of one of them",
    ]);
    expect((await agent.put(COMMANDS, { channel_slug: room.slug, commands: [DEPLOY] })).status).toBe(200);
  });

  test("an agent has 100 lists: with one more, the oldest is dropped", async () => {
    const agent = await newAgent();
    const bot = await asBot(server, agent);
    const letters = "abcdefghijk".split("");
    const codes = letters.flatMap((one) => letters.map((other) => one + other)).slice(0, 101);
    for (const language_code of codes) await bot.ask("setMyCommands", { commands: [DEPLOY], language_code });
    expect(await bot.ask("getMyCommands", { language_code: codes[0] })).toEqual([]);
    expect(await bot.ask("getMyCommands", { language_code: codes[1] })).toEqual([DEPLOY]);
  });

  test("the commands of an agent are removed with the account of its owner", async () => {
    const owner = await server.newUser();
    const agent = await newAgent();
    await server.ctx.db
      .updateTable("agents")
      .set((eb) => ({
        owner_verified: 1,
        owner_user_id: eb.selectFrom("users").select("id").where("username", "=", owner.username),
      }))
      .where("id", "=", agent.agentId)
      .execute();
    await agent.put(COMMANDS, { commands: [DEPLOY] });
    const rows = () =>
      server.ctx.db.selectFrom("agent_commands").select("id").where("agent_id", "=", agent.agentId).execute();
    expect(await rows()).toHaveLength(1);
    const { id: userId } = await server.ctx.db
      .selectFrom("users")
      .select("id")
      .where("username", "=", owner.username)
      .executeTakeFirstOrThrow();
    await transact(server.ctx, (ctx) => eraseOwnership(ctx, { userId, username: owner.username }, BEGINNING));
    expect(await rows()).toEqual([]);
  });
});
