import { describe, expect, test } from "bun:test";
import { expectError } from "../support/expect-error.ts";
import type { Frame } from "../support/servers/live-socket.ts";
import { code, newChannel, realtimeBench } from "../support/servers/realtime.ts";
import type { Answered, Client } from "../support/servers/test-server.ts";
import { setLevel } from "../support/staff.ts";

/**
 * Slow mode and the policies for posting, agents and pins, over HTTP, sockets and agent routes (protocol §3, §4, §5).
 */
const { server, open } = await realtimeBench();

const owner = await server.newUser();
const admin = await server.newUser();
const member = await server.newUser();
const mod = await server.newUser();
const root = await server.newUser();
await setLevel(server, mod.username, 1);
await setLevel(server, root.username, 2);
const agent = await server.agent("Helper");

/** Creates a channel with an admin, a member and these settings. */
async function room(settings: object): Promise<{ id: number; slug: string }> {
  const channel = await newChannel(owner);
  await owner.put(`/api/channels/${channel.id}/members/${admin.username}`, { role: "admin" });
  await owner.put(`/api/channels/${channel.id}/members/${member.username}`, {});
  expect((await owner.put(`/api/channels/${channel.id}`, { topic: "tea", ...settings })).status).toBe(200);
  return channel;
}

const say = (who: Client, id: number, more: object = {}) =>
  who.post("/api/messages", { channel_id: id, content: "hello", ...more });
const sayAsAgent = (slug: string, more: object = {}) =>
  agent.post("/api/agenthub/send", { channel_slug: slug, message: "hello", ...more });

function expectSlow(answer: Answered, seconds: number): void {
  expectError(answer, 429, "slow_mode");
  expect(answer.headers.get("retry-after")).toBe(String(answer.body.retry_after));
  expect(answer.body.retry_after).toBeWithin(seconds - 10, seconds + 1);
}

function expectSlowFrame({ event, data }: Frame, seconds: number): void {
  expect([event, data.code]).toEqual(["error", "slow_mode"]);
  expect(data.retry_after).toBeWithin(seconds - 10, seconds + 1);
}

describe("slow mode", () => {
  test("shares one wait per user over HTTP and sockets, and one per agent, and sends Retry-After", async () => {
    const { id, slug } = await room({ slow_mode_seconds: 60 });
    await using socket = await open(member);
    expect((await say(member, id)).status).toBe(201);
    expectSlow(await say(member, id), 60);
    expectSlowFrame(await socket.ask("message:send", { channel_id: id, content: "too" }), 60);
    expect((await sayAsAgent(slug)).status).toBe(201);
    expectSlow(await sayAsAgent(slug), 60);
    const other = await server.newUser();
    await using first = await open(other);
    expect((await first.ask("message:send", { channel_id: id, content: "one" })).event).toBe("ack");
    expectSlow(await say(other, id), 60);
  });

  test("does not apply to the channel's admins and the site's moderators", async () => {
    const { id } = await room({ slow_mode_seconds: 60 });
    for (const who of [owner, admin, mod, root]) {
      expect([(await say(who, id)).status, (await say(who, id)).status]).toEqual([201, 201]);
    }
  });

  test("returns a repeated message as the first time, and does not start a wait for a refused one", async () => {
    const { id, slug } = await room({ slow_mode_seconds: 60 });
    expectError(await say(member, id, { reply_to_id: 999_999 }), 404, "message_not_found");
    const first = await say(member, id, { client_msg_id: "slow-1" });
    expect(first.status).toBe(201);
    const again = await say(member, id, { client_msg_id: "slow-1" });
    expect([again.status, again.body.deduplicated, again.body.message_id]).toEqual([200, true, first.body.message_id]);
    expectError(await say(member, id, { client_msg_id: "slow-1", content: "other" }), 409, "idempotency_conflict");
    expectSlow(await say(member, id, { client_msg_id: "slow-2" }), 60);
    expectError(await sayAsAgent(slug, { expected_last_seq: 0 }), 409, "context_stale");
    expect((await sayAsAgent(slug)).status).toBe(201);
  });

  test("admits one of several concurrent messages, and ends when it is turned off", async () => {
    const { id } = await room({ slow_mode_seconds: 60 });
    const answers = await Promise.all(Array.from({ length: 6 }, () => say(member, id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 429, 429, 429, 429, 429]);
    await owner.put(`/api/channels/${id}`, { slow_mode_seconds: 0 });
    expect((await say(member, id)).status).toBe(201);
  });
});

describe("post_policy admins", () => {
  test("lets the channel's admins and site administrators post, over every interface", async () => {
    const { id, slug } = await room({ post_policy: "admins" });
    for (const who of [owner, admin, root]) expect((await say(who, id)).status).toBe(201);
    for (const who of [member, mod, await server.newUser()]) expectError(await say(who, id), 403, "post_policy");
    expectError(await sayAsAgent(slug), 403, "post_policy");
    await using socket = await open(member);
    expect(code(await socket.ask("message:send", { channel_id: id, content: "no" }))).toBe("error post_policy");
    await using hers = await open(owner);
    expect((await hers.ask("message:send", { channel_id: id, content: "news" })).event).toBe("ack");
  });

  test("prevents others from adding text by an edit, but allows deleting and reacting", async () => {
    const { id, slug } = await room({});
    const { message_id } = (await say(member, id)).body;
    const hers = (await say(owner, id)).body.message_id;
    const its = (await sayAsAgent(slug)).body.message_id;
    await owner.put(`/api/channels/${id}`, { post_policy: "admins" });
    expectError(await member.put(`/api/messages/${message_id}`, { content: "news" }), 403, "post_policy");
    expectError(await agent.put(`/api/messages/${its}`, { content: "news" }), 403, "post_policy");
    await using socket = await open(member);
    expect(code(await socket.ask("message:edit", { message_id, content: "news" }))).toBe("error post_policy");
    expect((await owner.put(`/api/messages/${hers}`, { content: "news" })).status).toBe(200);
    expect((await member.put(`/api/messages/${hers}/reactions/like`)).status).toBe(200);
    expect((await member.delete(`/api/messages/${message_id}`)).status).toBe(200);
  });
});

describe("agent_policy", () => {
  test("deny keeps agents from logging in, sending, editing and reacting, and does not affect people", async () => {
    const { id, slug } = await room({});
    const its = (await sayAsAgent(slug)).body.message_id;
    await owner.put(`/api/channels/${id}`, { agent_policy: "deny" });
    const login = { channel_slug: slug, agent_name: "Helper" };
    for (const answer of [
      await agent.post("/api/agenthub/login", login),
      await sayAsAgent(slug),
      await agent.put(`/api/messages/${its}`, { content: "news" }),
      await agent.put(`/api/messages/${its}/reactions/like`),
    ]) {
      expectError(answer, 403, "agents_not_allowed");
    }
    expect((await agent.get(`/api/agenthub/messages?channel_slug=${slug}`)).status).toBe(200);
    expect((await say(member, id, { content: "@Helper?" })).status).toBe(201);
    expect((await agent.get("/api/agenthub/mentions")).body.count).toBe(0);
  });

  test("mention_only lets an agent only reply to messages that mention it", async () => {
    const { id, slug } = await room({ agent_policy: "mention_only" });
    expect((await agent.post("/api/agenthub/login", { channel_slug: slug, agent_name: "Helper" })).status).toBe(200);
    const plain = (await say(member, id)).body.message_id;
    const asked = (await say(member, id, { content: "@helper, please" })).body.message_id;
    const other = await newChannel(owner);
    const elsewhere = (await say(owner, other.id, { content: "@Helper" })).body.message_id;
    expectError(await sayAsAgent(slug), 403, "agents_not_allowed");
    expectError(await sayAsAgent(slug, { reply_to_id: plain }), 403, "agents_not_allowed");
    expectError(await sayAsAgent(slug, { reply_to_id: elsewhere }), 404, "message_not_found");
    expect((await sayAsAgent(slug, { reply_to_id: asked, agent_name: "Helper" })).status).toBe(201);
    await member.put(`/api/messages/${asked}`, { content: "never mind" });
    expectError(await sayAsAgent(slug, { reply_to_id: asked }), 403, "agents_not_allowed");
    await member.delete(`/api/messages/${asked}`);
    expectError(await sayAsAgent(slug, { reply_to_id: asked }), 409, "message_deleted");
    expect((await say(member, id)).status).toBe(201);
  });

  test("deny removes agents that are online from the list", async () => {
    const { id, slug } = await room({});
    await agent.post("/api/agenthub/login", { channel_slug: slug, agent_name: "Helper" });
    expect((await owner.get(`/api/channels/${id}/online`)).body.count).toBe(1);
    await owner.put(`/api/channels/${id}`, { agent_policy: "deny" });
    expectError(await sayAsAgent(slug), 403, "agents_not_allowed");
    expect((await owner.get(`/api/channels/${id}/online`)).body.count).toBe(0);
  });
});

describe("pin_policy", () => {
  test.each([
    ["admins", { owner: 200, admin: 200, mod: 200, root: 200, member: 403, stranger: 403 }],
    ["members", { owner: 200, admin: 200, mod: 200, root: 200, member: 200, stranger: 403 }],
  ] as const)("%s decides who can pin and unpin", async (pin_policy, expected) => {
    const { id, slug } = await room({ pin_policy });
    const { message_id } = (await say(owner, id)).body;
    const callers = { owner, admin, mod, root, member, stranger: await server.newUser() };
    for (const [name, who] of Object.entries(callers)) {
      for (const act of ["pin", "unpin"]) {
        const answer = await who.post(`/api/messages/${message_id}/${act}`);
        expect([name, act, answer.status]).toEqual([name, act, expected[name as keyof typeof expected]]);
        if (answer.status === 403) expectError(answer, 403, "forbidden");
      }
    }
    expectError(await server.guest.post(`/api/messages/${message_id}/pin`), 401, "session_required");
    await agent.post("/api/agenthub/login", { channel_slug: slug, agent_name: "Helper" });
    // It is logged in, but nobody has added it (pins-of-agents.test.ts).
    expectError(await agent.post(`/api/messages/${message_id}/pin`), 403, "forbidden");
  });
});
