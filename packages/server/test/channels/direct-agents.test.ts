import { expect, test } from "bun:test";
import { ERRORS, type ErrorCode } from "@parley/protocol/errors";
import { revokeKey } from "../../src/agents/keys/keys.ts";
import { eraseAll } from "../../src/privacy/erasing.ts";
import { publishControl } from "../../src/realtime/control/control.ts";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { LiveSocket } from "../support/servers/live-socket.ts";
import { code } from "../support/servers/realtime.ts";
import { type Answered, type Client, eventually, PASSWORD, startTestServer } from "../support/servers/test-server.ts";
import { setLevel } from "../support/staff.ts";

const refused = (answer: Answered, code: ErrorCode) => expectError(answer, ERRORS[code][0], code);

/** Direct conversations between users and agents (protocol §3), on both databases. */
eachDatabase(async (_, open) => {
  const server = await forAllTests(startTestServer({ agentLoopLimit: 4 }, { database: await open() }));
  let count = 0;

  /** Returns an agent that talks with everybody. */
  async function helper(policy = "everyone") {
    const name = `Helper ${++count}`;
    const agent = Object.assign(await server.agent(name), { name });
    const { db } = server.ctx;
    await db
      .updateTable("agents")
      .set({ dm_policy: policy as "everyone" })
      .where("id", "=", agent.agentId)
      .execute();
    return agent;
  }
  const direct = (who: Client, agent_name: unknown) => who.post("/api/direct", { agent_name });
  const say = (who: Client, channel_id: number, content = "hello") =>
    who.post("/api/messages", { channel_id, content });
  const answer = (agent: Client, channel_slug: string, message: string) =>
    agent.post("/api/agenthub/send", { channel_slug, message });
  const inbox = async (agent: Client) => (await agent.get("/api/agenthub/inbox")).body.items;
  const listed = async (who: Client, id: number) =>
    (await who.get("/api/channels")).body.channels.find((channel: { id: number }) => channel.id === id);

  async function conversation() {
    const [ann, agent] = [await server.newUser(), await helper()];
    const { status, body } = await direct(ann, agent.name);
    expect(status).toBe(201);
    return { ann, agent, id: body.channel_id as number, slug: body.channel_slug as string };
  }

  test("is opened once, by any case of the name, and names the agent", async () => {
    const [ann, agent] = [await server.newUser(), await helper()];
    const first = await direct(ann, agent.name);
    expect(first.status).toBe(201);
    const record = { is_direct: true, direct_with: null, direct_with_agent: agent.name, is_private: true };
    expect(first.body.channel).toMatchObject({ ...record, member_count: 2, my_role: "member", unread_count: 0 });
    const again = await direct(ann, agent.name.toUpperCase());
    expect(again).toMatchObject({ status: 200, body: { channel_id: first.body.channel_id, deduplicated: true } });
    const theirs = await listed(agent, first.body.channel_id);
    expect(theirs).toMatchObject({ is_direct: true, direct_with: ann.username, direct_with_agent: null });
    const both = await Promise.all([1, 2, 3].map(async () => direct(await Promise.resolve(ann), agent.name)));
    expect(new Set(both.map(({ body }) => body.channel_id)).size).toBe(1);
  });

  test("is opened once by concurrent requests", async () => {
    const [ann, agent] = [await server.newUser(), await helper()];
    const all = await Promise.all(Array.from({ length: 6 }, () => direct(ann, agent.name)));
    expect(all.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(new Set(all.map(({ body }) => body.channel_id)).size).toBe(1);
  });

  test("gives the agent an item for each message, and one only if the message mentions it", async () => {
    const { ann, agent, id, slug } = await conversation();
    await using socket = await LiveSocket.open(server.url, agent.credential);
    await socket.settle();
    const { body } = await say(ann, id, `@${agent.name} hello`);
    const items = await inbox(agent);
    expect(items).toMatchObject([
      {
        kind: "direct",
        channel_id: id,
        channel_slug: slug,
        agent_name: agent.name,
        chat_message: { id: body.message_id },
      },
    ]);
    const pushed = await socket.next("inbox:new");
    expect(pushed.data.item).toMatchObject({ item_id: items[0].item_id, kind: "direct" });
    expect(socket.all("mention:new")).toEqual([]);
  });

  test("is read and answered by the agent's routes, and its answer is unread for the person", async () => {
    const { ann, agent, id, slug } = await conversation();
    await using socket = await LiveSocket.open(server.url, ann.credential);
    await socket.ask("channel:join", { channel_id: id });
    await say(ann, id);
    const page = await agent.get(`/api/agenthub/messages?channel_slug=${slug}`);
    expect(page.body.messages).toMatchObject([{ content: "hello", username: ann.username }]);
    expect(
      (await agent.post("/api/agenthub/typing", { channel_slug: slug, typing: true, agent_name: agent.name })).status,
    ).toBe(200);
    await socket.next("typing");
    expect((await answer(agent, slug, "hi")).status).toBe(201);
    await socket.find(({ event, data }) => event === "message:new" && data.chat_message.content === "hi");
    expect(await listed(ann, id)).toMatchObject({ unread_count: 1 });
    expect(await inbox(agent)).toHaveLength(1);
  });

  test("is not stopped by the loop guard", async () => {
    const { agent, slug } = await conversation();
    for (let n = 0; n < 8; n++) expect((await answer(agent, slug, `${n}`)).status).toBe(201);
  });

  test("is hidden from everybody else, and nobody can join or change it", async () => {
    const { ann, agent, id, slug } = await conversation();
    const [bob, other, root] = [await server.newUser(), await helper(), await server.newUser()];
    await setLevel(server, root.username, 2);
    refused(await bob.get(`/api/messages?channel_id=${id}`), "channel_not_found");
    refused(await other.get(`/api/agenthub/messages?channel_slug=${slug}`), "channel_not_found");
    refused(
      await other.post("/api/agenthub/login", { channel_slug: slug, agent_name: other.name }),
      "channel_not_found",
    );
    refused(await ann.put(`/api/channels/${id}/members/${bob.username}`, {}), "forbidden");
    refused(await ann.delete(`/api/channels/${id}/members/${encodeURIComponent(agent.name)}`), "forbidden");
    await say(ann, id, "between us");
    const read = await root.get(`/api/messages?channel_id=${id}`);
    expect(read.body.messages).toMatchObject([{ content: "between us" }]);
    refused(await say(root, id), "post_policy");
    const audited = await server.ctx.db
      .selectFrom("audit_log")
      .select("action")
      .where("subject", "=", `channel:${id}`)
      .execute();
    expect(audited).toEqual([{ action: "channel_read" }]);
  });

  test("obeys dm_policy when it is opened and when one of them writes", async () => {
    const [ann, root] = [await server.newUser(), await server.newUser()];
    await setLevel(server, root.username, 2);
    const agent = await helper("owner");
    refused(await direct(ann, agent.name), "direct_not_allowed");
    const set = (who: Client, dm_policy: string) => who.put(`/api/agents/${agent.agentId}`, { dm_policy });
    refused(await set(ann, "everyone"), "forbidden");
    expect((await set(root, "everyone")).body.agent.dm_policy).toBe("everyone");
    expect((await ann.get(`/api/agent/${encodeURIComponent(agent.name)}`)).body.dm_policy).toBe("everyone");
    const { body } = await direct(ann, agent.name);
    const message = `/api/messages/${(await say(ann, body.channel_id)).body.message_id}`;
    await set(root, "nobody");
    refused(await say(ann, body.channel_id), "direct_not_allowed");
    refused(await ann.put(message, { content: "said all the same" }), "direct_not_allowed");
    refused(await ann.put(`${message}/reactions/like`), "direct_not_allowed");
    refused(await ann.post(`${message}/pin`), "direct_not_allowed");
    refused(await direct(ann, agent.name), "direct_not_allowed");
    refused(await answer(agent, body.channel_slug, "goodbye"), "direct_not_allowed");
    await using socket = await LiveSocket.open(server.url, ann.credential);
    const late = await socket.ask("message:send", { channel_id: body.channel_id, content: "hello?" });
    expect(code(late)).toBe("error direct_not_allowed");
    await socket.ask("channel:join", { channel_id: body.channel_id });
    expect(code(await socket.ask("typing:start", { channel_id: body.channel_id }))).toBe("error direct_not_allowed");
  });

  test("is open to the verified owner by default, until they give the agent up", async () => {
    const owner = await server.newUser();
    const agent = await helper("owner");
    const { db } = server.ctx;
    const row = await db
      .selectFrom("users")
      .select("id")
      .where("username", "=", owner.username)
      .executeTakeFirstOrThrow();
    const own = { owner_user_id: row.id, owner_verified: 1 };
    await db.updateTable("agents").set(own).where("id", "=", agent.agentId).execute();
    const { status, body } = await direct(owner, agent.name);
    expect(status).toBe(201);
    expect((await say(owner, body.channel_id)).status).toBe(201);
    // Owners see the channels of their agents, and not who talks with them.
    expect((await owner.get("/api/agents")).body.agents).toMatchObject([{ agent_id: agent.agentId, channels: [] }]);
    expect((await owner.delete(`/api/agents/${agent.agentId}/owner`)).status).toBe(200);
    refused(await say(owner, body.channel_id), "direct_not_allowed");
  });

  test("refuses what is no agent's name, both names and none", async () => {
    const [ann, bob] = [await server.newUser(), await server.newUser()];
    for (const name of [bob.username, "nobody-here", "PlatformAgent"])
      refused(await direct(ann, name), "agent_not_found");
    refused(await ann.post("/api/direct", { username: bob.username, agent_name: "x" }), "invalid_request");
    refused(await ann.post("/api/direct", {}), "invalid_request");
    const agent = await helper();
    refused(await direct(agent, bob.username), "session_required");
    refused(await agent.post("/api/direct", { username: bob.username }), "session_required");
  });

  test("stops for both while the person blocks the agent", async () => {
    const { ann, agent, id, slug } = await conversation();
    await say(ann, id);
    expect((await ann.put(`/api/blocks/${encodeURIComponent(agent.name)}`)).status).toBeLessThan(300);
    refused(await say(ann, id), "user_blocked");
    refused(await direct(ann, agent.name), "user_blocked");
    refused(await answer(agent, slug, "please"), "blocked");
    expect((await agent.get(`/api/agenthub/messages?channel_slug=${slug}`)).status).toBe(200);
    await ann.delete(`/api/blocks/${encodeURIComponent(agent.name)}`);
    expect((await answer(agent, slug, "thanks")).status).toBe(201);
  });

  test("keeps what is said to a paused agent, and does not begin with an agent without keys", async () => {
    const { ann, agent, id } = await conversation();
    const setPaused = async (paused: 0 | 1) => {
      await server.ctx.db.updateTable("agents").set({ paused }).where("id", "=", agent.agentId).execute();
      publishControl(server.ctx, "agent_changed", agent.agentId);
    };
    await setPaused(1);
    expect((await say(ann, id)).status).toBe(201);
    await setPaused(0);
    expect(await inbox(agent)).toHaveLength(1);
    const keyless = await helper();
    await revokeKey(server.ctx, keyless.apiKey);
    refused(await direct(ann, keyless.name), "direct_not_allowed");
    await revokeKey(server.ctx, agent.apiKey);
    expect((await direct(ann, agent.name)).status).toBe(200);
  });

  test("is closed by its person, and comes back with the agent's next message", async () => {
    const { ann, agent, id, slug } = await conversation();
    await using socket = await LiveSocket.open(server.url, ann.credential);
    expect((await ann.post(`/api/channels/${id}/leave`)).status).toBe(200);
    expect(await listed(ann, id)).toBeUndefined();
    expect(await listed(agent, id)).toBeDefined();
    await answer(agent, slug, "are you there?");
    expect((await socket.next("channel:added")).data.channel).toMatchObject({ id, direct_with_agent: agent.name });
    expect(await listed(ann, id)).toMatchObject({ unread_count: 1 });
    await ann.post(`/api/channels/${id}/leave`);
    expect((await direct(ann, agent.name)).body.channel_id).toBe(id);
    expect(await listed(ann, id)).toBeDefined();
  });

  test("takes its person back who left it on a node of an older release", async () => {
    const { ann, agent, id } = await conversation();
    const { db } = server.ctx;
    await db.deleteFrom("channel_members").where("channel_id", "=", id).execute();
    const row = await db
      .selectFrom("users")
      .select("id")
      .where("username", "=", ann.username)
      .executeTakeFirstOrThrow();
    publishControl(server.ctx, "membership_changed", { channelId: id, member: `u${row.id}` });
    expect((await direct(ann, agent.name)).status).toBe(200);
    expect((await say(ann, id)).status).toBe(201);
  });

  test("appears on the person's other sockets when it is opened", async () => {
    const [ann, agent] = [await server.newUser(), await helper()];
    await using socket = await LiveSocket.open(server.url, ann.credential);
    await direct(ann, agent.name);
    expect((await socket.next("channel:added")).data.channel.direct_with_agent).toBe(agent.name);
  });

  test("is in the person's copy, and deleted with the account", async () => {
    const { ann, agent, id, slug } = await conversation();
    await say(ann, id, "my secret");
    const { body } = await ann.get(`/api/user/${ann.username}/export`);
    expect(JSON.stringify(body)).toContain(`"direct_with_agent":${JSON.stringify(agent.name)}`);
    expect((await ann.get(`/api/channels/${id}/export`)).status).toBe(200);
    await ann.send("DELETE", `/api/user/${ann.username}`, { body: { password: PASSWORD } });
    await eraseAll(server.ctx);
    await eventually("the agent has lost it", async () => {
      const { body } = await agent.get(`/api/agenthub/messages?channel_slug=${slug}`);
      return body.code === "channel_not_found";
    });
    refused(await answer(agent, slug, "hello?"), "channel_not_found");
    expect(await inbox(agent)).toEqual([]);
    const row = await server.ctx.db.selectFrom("channels").select("name").where("id", "=", id).executeTakeFirst();
    expect(row?.name).not.toContain(ann.username);
  });
});
