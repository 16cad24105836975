import { expect, test } from "bun:test";
import { revokeKey } from "../../src/agents/keys/keys.ts";
import { publishControl } from "../../src/realtime/control/control.ts";
import { eachDatabase } from "../support/databases.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { newChannel } from "../support/new-channel.ts";
import { LiveSocket } from "../support/servers/live-socket.ts";
import { code } from "../support/servers/realtime.ts";
import { type Client, eventually, startTestServer } from "../support/servers/test-server.ts";

/** Protocol §8: agents on the socket, on both databases. */
eachDatabase(async (_, openDatabase) => {
  const server = await forAllTests(startTestServer({ agentLoopLimit: 6 }, { database: await openDatabase() }));
  const ann = await server.user("ann");
  let count = 0;

  /** Returns an agent with a name and a channel of its own. */
  async function helper() {
    const name = `Helper ${++count}`;
    const here = await newChannel(ann);
    return { ...here, name, agent: await server.agent(name) };
  }
  const open = (agent: Client) => LiveSocket.open(server.url, agent.credential);
  const online = async (channelId: number) => {
    const { body } = await ann.get(`/api/channels/${channelId}/online`);
    return body.users.map(({ kind, name }: { kind: string; name: string }) => `${kind} ${name}`);
  };

  test("is authenticated by the handshake's header, and is no user", async () => {
    const { agent } = await helper();
    await using socket = await open(agent);
    const { data } = await socket.next("session:ready");
    expect(data).toEqual({ epoch: expect.any(String), user: null, agent: { agent_id: agent.agentId } });
    expect(code(await socket.ask("channel:read", { channel_slug: "general" }))).toBe("error session_required");
  });

  test("is authenticated by auth:agent, which answers with the agent's names", async () => {
    const { agent, name } = await helper();
    await using socket = await LiveSocket.open(server.url);
    const { data } = await socket.ask("auth:agent", { api_key: agent.apiKey });
    const identity = { agent_id: agent.agentId, agent_names: [name], default_agent_name: name };
    expect(data).toEqual({ success: true, ...identity });
    await socket.find(({ event, data }) => event === "session:ready" && data.agent?.agent_id === agent.agentId);
  });

  test("joins, which logs the agent in, and is listed as an agent once", async () => {
    const { agent, name, id, slug } = await helper();
    await using socket = await open(agent);
    const { data } = await socket.ask("channel:join", { channel_slug: slug });
    expect(data).toMatchObject({ agent_name: name, my_role: null, guest_count: 0, channel: { id } });
    expect(await online(id)).toEqual([`agent ${name}`]);
    await using second = await open(agent);
    expect((await second.ask("channel:join", { channel_id: id, agent_name: name })).data.count).toBe(1);
    await ann.post("/api/messages", { channel_id: id, content: "hello" });
    expect((await socket.next("message:new")).data.chat_message.content).toBe("hello");
    expect((await socket.ask("channel:leave", { channel_id: id })).data).toEqual({ success: true, channel_id: id });
    expect(await online(id)).toEqual([]);
  });

  test("asks for a name if the agent has several, and refuses another agent's", async () => {
    const { agent, name, id } = await helper();
    const other = await helper();
    const nameless = await server.agent();
    await using mute = await open(nameless);
    expect(code(await mute.ask("channel:join", { channel_id: id }))).toBe("error agent_name_required");
    await using socket = await open(agent);
    const taken = await socket.ask("channel:join", { channel_id: id, agent_name: other.name });
    expect(code(taken)).toBe("error agent_name_taken");
    await socket.ask("channel:join", { channel_id: id, agent_name: `${name} B` });
    for (const command of ["channel:join", "message:send", "typing:start"]) {
      const answer = await socket.ask(command, { channel_id: id, content: "who am I?" });
      expect(code(answer)).toBe("error agent_name_required");
    }
    expect(code(await socket.ask("message:send", { channel_id: id, content: "hi", agent_name: "@@" }))).toBe(
      "error invalid_agent_name",
    );
  });

  test("sends as the agent route does: once for a key, in order, and not behind its back", async () => {
    const { agent, name, id } = await helper();
    await using socket = await open(agent);
    await socket.ask("channel:join", { channel_id: id });
    const first = await socket.ask("message:send", { channel_id: id, content: "one", client_msg_id: "k1" });
    expect(first.data).toMatchObject({
      success: true,
      seq: 1,
      chat_message: { sender_type: "agent", agent_name: name },
    });
    const again = await socket.ask("message:send", { channel_id: id, content: "one", client_msg_id: "k1" });
    expect(again.data).toMatchObject({ message_id: first.data.message_id, deduplicated: true });
    const changed = await socket.ask("message:send", { channel_id: id, content: "two", client_msg_id: "k1" });
    expect(code(changed)).toBe("error idempotency_conflict");
    const body = { channel_slug: (await ann.get(`/api/channels/${id}`)).body.channel.channel_slug, message: "one" };
    const rest = await agent.post("/api/agenthub/send", { ...body, agent_name: name, client_msg_id: "k1" });
    expect(rest).toMatchObject({ status: 200, body: { message_id: first.data.message_id, deduplicated: true } });
    await ann.post("/api/messages", { channel_id: id, content: "meanwhile" });
    const stale = await socket.ask("message:send", { channel_id: id, content: "late", expected_last_seq: 1 });
    expect(code(stale)).toBe("error context_stale");
    expect(code(await socket.ask("message:send", { channel_id: id, content: " " }))).toBe("error message_required");
    const reply = { channel_id: id, content: "yes", reply_to_id: first.data.message_id };
    expect((await socket.ask("message:send", reply)).data.chat_message.reply_to_id).toBe(first.data.message_id);
    const both = [1, 2].map((n) => socket.tell("message:send", { channel_id: id, content: `${n}` }));
    const seqs = await Promise.all(both.map(async (ref) => (await socket.answer(ref)).data.seq));
    expect(seqs[1]).toBe(seqs[0] + 1);
  });

  test("edits, reacts and thinks", async () => {
    const { agent, name, id } = await helper();
    await using socket = await open(agent);
    await using reader = await LiveSocket.open(server.url, ann.credential);
    await reader.ask("channel:join", { channel_id: id });
    expect((await socket.ask("typing:start", { channel_id: id })).event).toBe("ack");
    expect((await reader.next("typing")).data).toEqual({ channel_id: id, kind: "agent", name, typing: true });
    const { data } = await socket.ask("message:send", { channel_id: id, content: "on" });
    const edited = await socket.ask("message:edit", { message_id: data.message_id, content: "one" });
    expect(edited.data.chat_message.content).toBe("one");
    const reacted = await socket.ask("reaction:add", { message_id: data.message_id, reaction: "like" });
    expect(reacted.data.reactions).toMatchObject([{ reaction: "like", count: 1, me: true }]);
    expect((await socket.ask("message:delete", { message_id: data.message_id })).event).toBe("ack");
  });

  test("is stopped by the loop guard", async () => {
    const { agent, id } = await helper();
    const other = await helper();
    await using one = await open(agent);
    await using two = await open(other.agent);
    const answers: string[] = [];
    for (let turn = 0; turn < 5; turn++)
      for (const socket of [one, two])
        answers.push(code(await socket.ask("message:send", { channel_id: id, content: `${turn}` })));
    expect(answers.at(-1)).toBe("error loop_guard_tripped");
  });

  test("resumes a channel by seq", async () => {
    const { agent, id } = await helper();
    await using first = await open(agent);
    const { data: before } = await first.ask("channel:join", { channel_id: id });
    await first[Symbol.asyncDispose]();
    await ann.post("/api/messages", { channel_id: id, content: "missed" });
    await using socket = await open(agent);
    const from = { channel_id: id, after_seq: before.last_seq, epoch: before.epoch };
    const { data } = await socket.ask("channel:join", from);
    expect(data).toMatchObject({ recovered: true, events: [{ event: "message:new" }] });
    expect(data.events[0].data.chat_message.content).toBe("missed");
  });

  test("is sent the agent's mentions from any channel", async () => {
    const { agent, name, id } = await helper();
    await using socket = await open(agent);
    await socket.settle();
    await ann.post("/api/messages", { channel_id: id, content: `@${name} come` });
    const { data } = await socket.next("mention:new");
    expect(data).toMatchObject({ channel_id: id, chat_message: { content: `@${name} come` } });
  });

  test("answers a wrong key as a route does", async () => {
    const { agent } = await helper();
    await using socket = await LiveSocket.open(server.url);
    expect(code(await socket.ask("auth:agent"))).toBe("error missing_api_key");
    expect(code(await socket.ask("auth:agent", { api_key: "" }))).toBe("error missing_api_key");
    expect(code(await socket.ask("auth:agent", { api_key: "ply_no" }))).toBe("error invalid_api_key");
    await revokeKey(server.ctx, agent.apiKey);
    publishControl(server.ctx, "key_revoked", agent.keyId);
    expect(code(await socket.ask("auth:agent", { api_key: agent.apiKey }))).toBe("error key_revoked");
    const upgrade = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13" };
    const headers = { ...upgrade, "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==" };
    const refused = await agent.get("/api/ws", { headers });
    expect(refused).toMatchObject({ status: 401, body: { code: "key_revoked" } });
    const wrong = await agent.get("/api/ws", { headers: { ...headers, authorization: "Bearer nonsense" } });
    expect(wrong).toMatchObject({ status: 401, body: { code: "invalid_api_key" } });
  });

  test("closes with 4403 and the code when the key is revoked or the agent paused", async () => {
    const { agent } = await helper();
    await using socket = await open(agent);
    await socket.settle();
    await revokeKey(server.ctx, agent.apiKey);
    publishControl(server.ctx, "key_revoked", agent.keyId);
    expect(await socket.whenClosed()).toEqual({ code: 4403, reason: "key_revoked" });

    const other = await helper();
    await using paused = await LiveSocket.open(server.url);
    await paused.ask("auth:agent", { api_key: other.agent.apiKey });
    await server.ctx.db.updateTable("agents").set({ paused: 1 }).where("id", "=", other.agent.agentId).execute();
    publishControl(server.ctx, "agent_changed", other.agent.agentId);
    expect(await paused.whenClosed()).toEqual({ code: 4403, reason: "agent_paused" });
  });

  test("loses a channel that bans the agent or refuses agents, and hears of it once", async () => {
    const { agent, name, id } = await helper();
    const second = await newChannel(ann);
    await using socket = await open(agent);
    for (const channel_id of [id, second.id]) await socket.ask("channel:join", { channel_id });
    expect((await ann.post(`/api/channels/${id}/bans`, { agent_name: name })).status).toBe(201);
    expect((await socket.next("access:ended")).data).toEqual({ channel_id: id, reason: "banned" });
    expect(code(await socket.ask("channel:join", { channel_id: id }))).toBe("error banned");
    expect((await ann.put(`/api/channels/${second.id}`, { agent_policy: "deny" })).status).toBe(200);
    await socket.find(({ event, data }) => event === "access:ended" && data.channel_id === second.id);
    expect(code(await socket.ask("channel:join", { channel_id: second.id }))).toBe("error agents_not_allowed");
    await ann.post("/api/messages", { channel_id: id, content: "unheard" });
    await socket.settle();
    expect(socket.all("message:new")).toEqual([]);
    expect(socket.all("access:ended")).toHaveLength(2);
  });

  test("keeps a channel that becomes private only if the agent was added to it", async () => {
    const { agent, name, id } = await helper();
    const stranger = await helper();
    await using socket = await open(agent);
    await using other = await open(stranger.agent);
    for (const each of [socket, other]) await each.ask("channel:join", { channel_id: id });
    expect((await ann.put(`/api/channels/${id}/members/${encodeURIComponent(name)}`, {})).status).toBe(200);
    expect((await ann.put(`/api/channels/${id}`, { is_private: true })).status).toBe(200);
    expect((await other.next("access:ended")).data).toEqual({ channel_id: id, reason: "private" });
    await ann.post("/api/messages", { channel_id: id, content: "among us" });
    expect((await socket.next("message:new")).data.chat_message.content).toBe("among us");
  });

  test("changes its identity between guest, user and agent", async () => {
    const { agent, name, id } = await helper();
    await using socket = await LiveSocket.open(server.url, ann.credential);
    await socket.ask("channel:join", { channel_id: id });
    expect(await online(id)).toEqual(["user ann"]);
    await socket.ask("auth:agent", { api_key: agent.apiKey });
    await eventually("ann is gone", async () => (await online(id)).length === 0);
    await socket.ask("channel:join", { channel_id: id });
    expect(await online(id)).toEqual([`agent ${name}`]);
    const sent = await socket.ask("message:send", { channel_id: id, content: "it is me" });
    expect(sent.data.chat_message.agent_name).toBe(name);
  });

  test("counts wrong keys against the address, and good ones against the agent", async () => {
    const { agent } = await helper();
    await using socket = await LiveSocket.open(server.url);
    const left = async (client: Client) =>
      Number(/r=(\d+)/.exec((await client.get("/api/site")).headers.get("ratelimit") ?? "")?.[1]);
    const before = await left(server.guest);
    for (let n = 0; n < 5; n++) await socket.ask("auth:agent", { api_key: "ply_wrong" });
    expect(await left(server.guest)).toBe(before - 6);
    await socket.ask("auth:agent", { api_key: agent.apiKey });
    expect(await left(server.guest)).toBe(before - 7);
  });

  test("is one of at most ten of its agent", async () => {
    const { agent } = await helper();
    await using stack = new AsyncDisposableStack();
    for (let n = 0; n < 10; n++) stack.use(await open(agent));
    const guest = stack.use(await LiveSocket.open(server.url));
    expect(code(await guest.ask("auth:agent", { api_key: agent.apiKey }))).toBe("error too_many_sockets");
  });
});
