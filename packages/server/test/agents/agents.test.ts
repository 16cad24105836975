import { describe, expect, test } from "bun:test";
import { revokeKey } from "../../src/agents/keys/keys.ts";
import { createLog } from "../../src/logging/log.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { TestSocket } from "../support/servers/socket.ts";
import { eventually, startTestServer } from "../support/servers/test-server.ts";

/** Protocol §5 over real HTTP: keys, login, logout, names and sending. */
const logged: string[] = [];

const log = createLog({ level: "trace", readable: false, write: (line) => logged.push(line) });
const server = await forAllTests(startTestServer({ agentLoopLimit: 0 }, { log }));
const ann = await server.user("ann");
const helper = await server.agent("Helper");

let rooms = 0;
async function room(
  extra: Record<string, unknown> = {},
  settings?: Record<string, unknown>,
): Promise<{ id: number; slug: string }> {
  const made = await ann.post("/api/channels", { name: `room ${++rooms}`, is_private: false, ...extra });
  expect(made.status).toBe(201);
  if (settings !== undefined)
    expect((await ann.put(`/api/channels/${made.body.channel_id}`, settings)).status).toBe(200);
  return { id: made.body.channel_id, slug: made.body.channel_slug };
}

const online = async (id: number) =>
  (await ann.get(`/api/channels/${id}/online`)).body.users.map(
    ({ kind, name }: { kind: string; name: string }) => `${kind} ${name}`,
  );

describe("API keys", () => {
  const calls: [string, string][] = [
    ["POST", "login"],
    ["POST", "logout"],
    ["POST", "send"],
    ["POST", "typing"],
    ["GET", "messages"],
    ["GET", "mentions"],
    ["POST", "mentions/ack"],
    ["GET", "events"],
  ];

  test.each(calls)("require a key for %s %s, whatever the body", async (method, path) => {
    const wrong: [Record<string, string>, string][] = [
      [{}, "missing_api_key"],
      [ann.credential, "missing_api_key"],
      [{ authorization: "Basic x" }, "missing_api_key"],
      [{ authorization: "Bearer ply_x_y" }, "invalid_api_key"],
      [{ authorization: `Bearer ${helper.apiKey.slice(0, -1)}` }, "invalid_api_key"],
    ];
    for (const [headers, code] of wrong) {
      const answer = await server.guest.send(
        method,
        `/api/agenthub/${path}`,
        method === "GET" ? { headers } : { headers, raw: "{" },
      );
      expect(answer).toMatchObject({ status: 401, body: { success: false, code } });
    }
  });

  test("refuse a paused agent with 403, and a key within two seconds after its revocation with 401", async () => {
    const agent = await server.agent();
    expect((await agent.get("/api/agenthub/mentions")).status).toBe(200);
    expect(await revokeKey({ db: server.ctx.db, clock: server.ctx.clock }, agent.keyId)).toBe("revoked");
    const ended = await eventually(
      "the key ends",
      async () => {
        const answer = await agent.get("/api/agenthub/mentions");
        return answer.status === 401 ? answer : null;
      },
      2_000,
    );
    expect(ended.body.code).toBe("key_revoked");
    const paused = await server.agent();
    await server.ctx.db.updateTable("agents").set({ paused: 1 }).where("id", "=", paused.agentId).execute();
    expect(await paused.get("/api/agenthub/mentions")).toMatchObject({ status: 403, body: { code: "agent_paused" } });
  });
});

describe("login and logout", () => {
  test("shows the agent online, notifies the channel, and is idempotent", async () => {
    const { id, slug } = await room();
    using socket = await TestSocket.open(server.url, ann.credential);
    await socket.command("channel:join", { channel_id: id });
    const answer = await helper.post("/api/agenthub/login", { channel_slug: slug, agent_name: "helper" });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      channel_slug: slug,
      channel_id: id,
      agent_name: "Helper",
      agent_id: helper.agentId,
      count: 2,
    });
    const list = await socket.next((frame) => frame.event === "user:list" && frame.data.count === 2);
    expect(list.data.users.map(({ kind, name }: { kind: string; name: string }) => [kind, name])).toContainEqual([
      "agent",
      "Helper",
    ]);
    await helper.post("/api/agenthub/login", { channel_slug: slug, agent_name: "Helper" });
    expect(await online(id)).toEqual(["user ann", "agent Helper"]);
    const out = await helper.post("/api/agenthub/logout", { channel_slug: slug, agent_name: "HELPER" });
    expect(out.body).toMatchObject({ channel_slug: slug, channel_id: id, was_online: true });
    // Not the list sent when ann joined.
    const since = socket.frames.indexOf(list);
    await socket.next((frame) => frame.data.count === 1 && socket.frames.indexOf(frame) > since);
    expect((await helper.post("/api/agenthub/logout", { channel_slug: slug })).body.was_online).toBe(false);
  });

  test("logs out of all channels without a body", async () => {
    const [one, two] = [await room(), await room()];
    for (const { slug } of [one, two])
      await helper.post("/api/agenthub/login", { channel_slug: slug, agent_name: "Helper" });
    const answer = await helper.post("/api/agenthub/logout");
    expect(answer).toMatchObject({
      status: 200,
      body: { was_online: true, channel_slug: null, channel_id: null, agent_name: null },
    });
    expect([...(await online(one.id)), ...(await online(two.id))]).toEqual([]);
  });

  test.each([
    [{}, 400, "channel_slug_required"],
    [{ agent_name: "Helper" }, 400, "channel_slug_required"],
    [{ channel_slug: "", agent_name: "Helper" }, 400, "channel_slug_required"],
    [{ channel_slug: "general" }, 400, "agent_name_required"],
    [{ channel_slug: "general", agent_name: "" }, 400, "agent_name_required"],
    [{ channel_slug: "general", agent_name: "-" }, 400, "invalid_agent_name"],
    [{ channel_slug: "general", agent_name: "a".repeat(33) }, 400, "invalid_agent_name"],
    [{ channel_slug: "general", agent_name: "admin" }, 400, "invalid_agent_name"],
    [{ channel_slug: "general", agent_name: "Ann" }, 409, "agent_name_taken"],
    [{ channel_slug: "nowhere", agent_name: "Helper" }, 404, "channel_not_found"],
  ])("%j is %d %s", async (body, status, code) => {
    expect(await helper.post("/api/agenthub/login", body)).toMatchObject({ status, body: { code } });
  });

  test("accepts a private channel's password once, and hides an invitation-only channel until the agent is added", async () => {
    const locked = await room({ is_private: true, password: "open sesame" });
    const login = (password?: string) =>
      helper.post("/api/agenthub/login", { channel_slug: locked.slug, agent_name: "Helper", password });
    expect(await login()).toMatchObject({ status: 403, body: { code: "password_required" } });
    expect(await login("wrong")).toMatchObject({ status: 403, body: { code: "wrong_password" } });
    expect((await helper.get(`/api/agenthub/messages?channel_slug=${locked.slug}`)).body.code).toBe(
      "password_required",
    );
    expect((await login("open sesame")).status).toBe(200);
    expect((await helper.get(`/api/agenthub/messages?channel_slug=${locked.slug}`)).status).toBe(200);
    const hidden = await room({ is_private: true });
    const body = { channel_slug: hidden.slug, agent_name: "Helper" };
    expect(await helper.post("/api/agenthub/login", body)).toMatchObject({
      status: 404,
      body: { code: "channel_not_found" },
    });
    expect(await helper.post("/api/agenthub/send", { ...body, message: "x" })).toMatchObject({ status: 404 });
    expect((await ann.put(`/api/channels/${hidden.id}/members/Helper`, {})).status).toBe(200);
    expect((await helper.post("/api/agenthub/login", body)).status).toBe(200);
    expect((await ann.delete(`/api/channels/${hidden.id}/members/Helper`)).status).toBe(200);
    await eventually("it is off the list", async () => (await online(hidden.id)).length === 0);
    expect((await helper.post("/api/agenthub/send", { ...body, message: "x" })).status).toBe(404);
  });
});

describe("send", () => {
  test("stores and returns the message, as PlatformAgent by default", async () => {
    const { id, slug } = await room();
    const answer = await helper.post("/api/agenthub/send", { channel_slug: slug, message: "hello @ann" });
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({
      channel_id: id,
      channel_slug: slug,
      agent_name: "PlatformAgent",
      mentions: [{ type: "user", name: "ann", offset: 6, length: 4 }],
      deduplicated: false,
      chat_message: {
        content: "hello @ann",
        sender_type: "agent",
        agent_name: "PlatformAgent",
        agent_id: helper.agentId,
        username: null,
      },
    });
    const unnamed = await helper.post("/api/agenthub/send", { channel_slug: slug, message: "x", agent_name: null });
    expect(unnamed.body).toMatchObject({ agent_name: "PlatformAgent", seq: answer.body.seq + 1 });
    // Sending does not log the agent in.
    expect(await online(id)).toEqual([]);
    const named = await helper.post("/api/agenthub/send", { channel_slug: slug, message: "x", agent_name: "hElPeR" });
    expect(named.body).toMatchObject({ agent_name: "Helper", seq: answer.body.seq + 2 });
  });

  test("returns the first message for a repeated client_msg_id, and a conflict for a different body", async () => {
    const { slug } = await room();
    const body = { channel_slug: slug, message: "once", client_msg_id: "k1" };
    const first = await helper.post("/api/agenthub/send", body);
    const again = await helper.post("/api/agenthub/send", body);
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.body).toEqual({ ...first.body, deduplicated: true });
    expect(await helper.post("/api/agenthub/send", { ...body, message: "other" })).toMatchObject({
      status: 409,
      body: { code: "idempotency_conflict" },
    });
    const other = await server.agent();
    expect((await other.post("/api/agenthub/send", body)).status).toBe(201);
  });

  test("returns the missed messages for a stale context, and stores nothing", async () => {
    const { id, slug } = await room();
    const first = await helper.post("/api/agenthub/send", { channel_slug: slug, message: "mine" });
    const seq = first.body.seq;
    const next = { channel_slug: slug, message: "next", expected_last_seq: seq };
    expect((await helper.post("/api/agenthub/send", { ...next, expected_last_seq: 0 })).status).toBe(201);
    await ann.post("/api/messages", { channel_id: id, content: "wait" });
    const stale = await helper.post("/api/agenthub/send", next);
    expect(stale).toMatchObject({ status: 409, body: { code: "context_stale" } });
    expect(stale.body.details.messages.map(({ content }: { content: string }) => content)).toEqual(["wait"]);
    expect(
      (await helper.post("/api/agenthub/send", { ...next, expected_last_seq: stale.body.details.messages[0].seq }))
        .status,
    ).toBe(201);
  });

  test.each([
    [{}, 400, "channel_slug_required"],
    [{ channel_slug: "general" }, 400, "message_required"],
    [{ channel_slug: "general", message: "" }, 400, "message_required"],
    [{ channel_slug: "general", message: " \n" }, 400, "message_required"],
    [{ channel_slug: "general", message: "\u200b\ufeff" }, 400, "message_required"],
    [{ channel_slug: "general", message: "x".repeat(4_001) }, 400, "message_too_long"],
    [{ channel_slug: "general", message: 5 }, 400, "message_required"],
    [{ channel_slug: "general", message: "x", agent_name: "a@b" }, 400, "invalid_agent_name"],
    [{ channel_slug: "general", message: "x", agent_name: "ann" }, 409, "agent_name_taken"],
    [{ channel_slug: "general", message: "x", expected_last_seq: -1 }, 400, "invalid_request"],
    [{ channel_slug: "general", message: "x", reply_to_id: 999_999 }, 404, "message_not_found"],
    [{ channel_slug: "nowhere", message: "x" }, 404, "channel_not_found"],
  ])("%# is refused: %d %s", async (body: Record<string, unknown>, status: number, code: string) => {
    expect(await helper.post("/api/agenthub/send", body)).toMatchObject({ status, body: { code } });
  });

  test("does not bind the name of a refused message", async () => {
    const other = await server.agent();
    await helper.post("/api/agenthub/send", { channel_slug: "nowhere", message: "x", agent_name: "Wanted" });
    expect(
      (await other.post("/api/agenthub/send", { channel_slug: "general", message: "x", agent_name: "Wanted" })).status,
    ).toBe(201);
    expect(
      (await helper.post("/api/agenthub/send", { channel_slug: "general", message: "x", agent_name: "wanted" })).body
        .code,
    ).toBe("agent_name_taken");
    expect(
      (await server.guest.post("/api/auth/register", { username: "WANTED", password: "correct horse battery" })).body
        .code,
    ).toBe("username_taken");
  });

  test("follows the channel's policy for agents", async () => {
    const closed = await room({}, { agent_policy: "deny" });
    expect(await helper.post("/api/agenthub/send", { channel_slug: closed.slug, message: "x" })).toMatchObject({
      status: 403,
      body: { code: "agents_not_allowed" },
    });
    expect(
      (await helper.post("/api/agenthub/login", { channel_slug: closed.slug, agent_name: "Helper" })).body.code,
    ).toBe("agents_not_allowed");
    const asked = await room({}, { agent_policy: "mention_only" });
    const send = (reply_to_id?: number) =>
      helper.post("/api/agenthub/send", { channel_slug: asked.slug, message: "x", reply_to_id });
    const say = async (content: string) =>
      (await ann.post("/api/messages", { channel_id: asked.id, content })).body.message_id;
    expect((await send()).body.code).toBe("agents_not_allowed");
    expect((await send(await say("nobody"))).body.code).toBe("agents_not_allowed");
    expect((await send(await say("@Helper, please"))).status).toBe(201);
    const admins = await room({}, { post_policy: "admins" });
    expect((await helper.post("/api/agenthub/send", { channel_slug: admins.slug, message: "x" })).body.code).toBe(
      "post_policy",
    );
  });
});

test("the log contains no API key", async () => {
  await helper.send("GET", `/api/agenthub/messages?channel_slug=general&key=${helper.apiKey}`);
  await helper.send("POST", "/api/agenthub/send", {
    raw: helper.apiKey,
    headers: { "content-type": "application/json" },
  });
  expect(logged.filter((line) => line.includes(helper.apiKey.slice(17)))).toEqual([]);
});
