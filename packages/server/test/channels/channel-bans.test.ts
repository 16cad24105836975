import { describe, expect, test } from "bun:test";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { EventReader } from "../support/servers/event-reader.ts";
import { LiveSocket } from "../support/servers/live-socket.ts";
import { type Client, eventually, logIn, startTestServer } from "../support/servers/test-server.ts";
import { staff } from "../support/staff.ts";

/** Bans (protocol §1, §3) over real HTTP and sockets. */
const callers: Record<string, Client> = {};
let rooms = 0;

const server = await forAllTests(startTestServer());
const owner = await server.user("olga");
const mallory = await server.user("mallory");
for (const name of ["admin", "member", "outsider"]) callers[name] = await server.user(`the-${name}`);
for (const level of [1, 2, 3] as const) callers[`level ${level}`] = await staff(server, `staff${level}`, level);
callers.owner = owner;
callers.guest = server.guest;
callers.agent = await server.agent("Helper");

/** Returns a new channel with a person in each role. */
async function room(extra: object = {}): Promise<{ id: number; slug: string }> {
  const made = await owner.post("/api/channels", { name: `room ${++rooms}`, ...extra });
  const id: number = made.body.channel_id;
  for (const [name, role] of [["the-member"], ["mallory"], ["the-admin", "admin"]] as const) {
    await owner.put(`/api/channels/${id}/members/${name}`, role === undefined ? {} : { role });
  }
  return { id, slug: made.body.channel_slug };
}

const ban = (who: Client, id: number, body: object) => who.post(`/api/channels/${id}/bans`, body);

describe("the right to ban", () => {
  const MAY = ["admin", "owner", "level 1", "level 2", "level 3"];
  const refusal = (name: string) =>
    name === "guest" || name === "agent" ? [401, "session_required"] : [403, "forbidden"];

  test.each(["guest", "outsider", "member", "agent", ...MAY])("follows the rights table for %s", async (name) => {
    const { id } = await room();
    const who = callers[name] ?? server.guest;
    const may = MAY.includes(name);
    const banned = await ban(who, id, { username: "mallory" });
    const listed = await who.get(`/api/channels/${id}/bans`);
    if (!may) await ban(owner, id, { username: "mallory" });
    const lifted = await who.delete(`/api/channels/${id}/bans/mallory`);
    for (const [answer, ok] of [
      [banned, 201],
      [listed, 200],
      [lifted, 200],
    ] as const) {
      expect([answer.status, answer.body.code]).toEqual(may ? [ok, undefined] : refusal(name));
    }
    if (!may) return;
  });

  test("is limited to people of lower rank in the channel and on the site", async () => {
    const { id } = await room();
    const table: [string, string, string][] = [
      ["admin", "olga", "forbidden"],
      ["admin", "the-admin", "forbidden"],
      ["admin", "staff1", "forbidden"],
      ["owner", "staff1", "ok"],
      ["owner", "staff2", "forbidden"],
      ["level 1", "olga", "forbidden"],
      ["level 1", "staff1", "forbidden"],
      ["level 1", "staff2", "forbidden"],
      ["level 1", "the-admin", "ok"],
      ["level 2", "olga", "owner_cannot_leave"],
      ["level 2", "staff3", "forbidden"],
      ["level 3", "staff2", "ok"],
    ];
    for (const [who, whom, code] of table) {
      const answer = await ban(callers[who] ?? owner, id, { username: whom });
      expect([who, whom, answer.body.code ?? "ok"]).toEqual([who, whom, code]);
    }
  });

  test("does not exist for moderators in a channel that is hidden from them", async () => {
    const { id } = await room({ is_private: true });
    expectError(await ban(callers["level 1"] ?? owner, id, { username: "mallory" }), 404, "channel_not_found");
    expectError(await (callers["level 1"] ?? owner).get(`/api/channels/${id}/bans`), 404, "channel_not_found");
  });
});

describe("a ban is refused", () => {
  test.each<[object, number, string]>([
    [{}, 400, "invalid_request"],
    [{ username: "mallory", agent_name: "Helper" }, 400, "invalid_request"],
    [{ username: "mallory", until: "tomorrow" }, 400, "invalid_request"],
    [{ username: "mallory", until: "2020-01-01T00:00:00.000Z" }, 400, "invalid_request"],
    [{ username: "mallory", reason: "x".repeat(501) }, 400, "invalid_request"],
    [{ username: "nobody" }, 404, "user_not_found"],
    [{ username: "Helper" }, 404, "user_not_found"],
    [{ agent_name: "mallory" }, 404, "agent_not_found"],
    [{ agent_id: 99_999 }, 404, "agent_not_found"],
  ])("with the body %j → %d %s", async (body, status, code) => {
    const { id } = await room();
    expectError(await ban(owner, id, body), status, code);
  });

  test("in channels that do not exist, and for names that are not banned", async () => {
    const { id } = await room();
    expectError(await ban(owner, 99_999, { username: "mallory" }), 404, "channel_not_found");
    expectError(await owner.post("/api/channels/x/bans", { username: "mallory" }), 400, "invalid_id");
    for (const name of ["mallory", "nobody", "PlatformAgent"]) {
      expectError(await owner.delete(`/api/channels/${id}/bans/${name}`), 404, "ban_not_found");
    }
  });
});

describe("a banned user", () => {
  test("is notified at once, keeps reading as a guest, and cannot take part", async () => {
    const { id } = await room();
    const own = (await mallory.post("/api/messages", { channel_id: id, content: "mine" })).body.message_id;
    await using socket = await LiveSocket.open(server.url, mallory.credential);
    await using watcher = await LiveSocket.open(server.url, owner.credential);
    for (const one of [socket, watcher]) await one.ask("channel:join", { channel_id: id });
    const until = new Date(Date.now() + 3_600_000).toISOString();
    expect((await ban(owner, id, { username: "mallory", until, reason: "spam" })).status).toBe(201);

    expect((await socket.next("access:ended")).data).toEqual({ channel_id: id, reason: "banned" });
    await watcher.find(({ event, data }) => event === "user:list" && data.count === 1);
    expect(socket.closed).toBeNull();

    expect((await mallory.get(`/api/messages?channel_id=${id}`)).status).toBe(200);
    const refused = [
      await mallory.post(`/api/channels/${id}/join`),
      await mallory.post("/api/messages", { channel_id: id, content: "again" }),
      await mallory.put(`/api/messages/${own}`, { content: "again" }),
      await mallory.put(`/api/messages/${own}/reactions/like`),
    ];
    for (const answer of refused) {
      expectError(answer, 403, "banned");
      expect(answer.body.details).toEqual({ until });
    }
    expectError(await mallory.post(`/api/messages/${own}/pin`), 403, "forbidden");
    // On a socket they can listen as a guest does, but not send.
    expect((await socket.ask("channel:join", { channel_id: id })).data.my_role).toBeNull();
    for (const [command, data] of [
      ["message:send", { content: "again" }],
      ["typing:start", {}],
    ] as const) {
      expect((await socket.ask(command, { channel_id: id, ...data })).data.code).toBe("banned");
    }
    await owner.post("/api/messages", { channel_id: id, content: "peace" });
    await socket.find(({ event, data }) => event === "message:new" && data.chat_message.content === "peace");
    // They can still delete what they wrote.
    expect((await mallory.delete(`/api/messages/${own}`)).status).toBe(200);
    expectError(await owner.put(`/api/channels/${id}/members/mallory`, {}), 409, "member_banned");
    expectError(await owner.put(`/api/channels/${id}`, { owner_username: "mallory" }), 409, "member_banned");

    expect((await owner.delete(`/api/channels/${id}/bans/MALLORY`)).body.name).toBe("mallory");
    expect((await mallory.post(`/api/channels/${id}/join`)).status).toBe(200);
  });

  test("cannot join with the password, and cannot see hidden channels", async () => {
    const locked = await room({ is_private: true, password: "open sesame" });
    await ban(owner, locked.id, { username: "mallory" });
    expectError(await mallory.get(`/api/messages?channel_id=${locked.id}`), 403, "password_required");
    for (const password of ["open sesame", "wrong", undefined]) {
      expectError(await mallory.post(`/api/channels/${locked.id}/join`, { password }), 403, "banned");
    }
    await using socket = await LiveSocket.open(server.url, mallory.credential);
    const joined = await socket.ask("channel:join", { channel_id: locked.id, password: "open sesame" });
    expect(joined.data).toMatchObject({ code: "banned", details: { until: null } });
    const hidden = await room({ is_private: true });
    await ban(owner, hidden.id, { username: "mallory" });
    expectError(await mallory.post(`/api/channels/${hidden.id}/join`), 404, "channel_not_found");
  });

  test("cannot read where guests cannot", async () => {
    await using closed = await startTestServer({ guestRead: false });
    const [ann, eve] = [await closed.user("ann"), await closed.user("eve")];
    const { channel_id: id } = (await ann.post("/api/channels", { name: "Tea" })).body;
    await ban(ann, id, { username: "eve" });
    for (const path of [`/api/channels/${id}`, `/api/channels/${id}/members`, `/api/messages?channel_id=${id}`]) {
      expectError(await eve.get(path), 403, "banned");
      expect((await ann.get(path)).status).toBe(200);
    }
    await using socket = await LiveSocket.open(closed.url, eve.credential);
    expect((await socket.ask("channel:join", { channel_id: id })).data.code).toBe("banned");
  });
});

test("a banned agent is logged out at once, its stream says so, and it cannot return", async () => {
  const { id, slug } = await room();
  const agent = await server.agent("Noisy");
  const login = () => agent.post("/api/agenthub/login", { channel_slug: slug, agent_name: "Noisy" });
  expect((await login()).status).toBe(200);
  const said = await agent.post("/api/agenthub/send", { channel_slug: slug, message: "hi", agent_name: "Noisy" });
  await using stream = await EventReader.open(server.url, agent.credential);
  const banned = await ban(owner, id, { agent_name: "noisy", reason: "loops" });
  expect(banned.body.ban).toMatchObject({ kind: "agent", name: "Noisy", agent_id: agent.agentId, reason: "loops" });
  expect((await stream.next(({ event }) => event === "access:ended")).data).toEqual({
    channel_id: id,
    reason: "banned",
  });
  await eventually("it is off the list", async () => (await owner.get(`/api/channels/${id}/online`)).body.count === 0);

  expectError(await login(), 403, "banned");
  const send = (name: string) =>
    agent.post("/api/agenthub/send", { channel_slug: slug, message: "hi", agent_name: name });
  for (const name of ["Noisy", "PlatformAgent"]) expectError(await send(name), 403, "banned");
  expectError(await agent.put(`/api/messages/${said.body.message_id}`, { content: "again" }), 403, "banned");
  expectError(await agent.put(`/api/messages/${said.body.message_id}/reactions/like`), 403, "banned");
  expect((await agent.get(`/api/agenthub/messages?channel_slug=${slug}`)).status).toBe(200);
  await owner.post("/api/messages", { channel_id: id, content: "quiet" });

  expect((await owner.delete(`/api/channels/${id}/bans/Noisy`)).status).toBe(200);
  expect((await login()).status).toBe(200);
  await owner.post("/api/messages", { channel_id: id, content: "again" });
  const heard = await stream.next(({ event }) => event === "message:new");
  expect(heard.data.chat_message.content).toBe("again");
  const byId = await ban(owner, id, { agent_id: agent.agentId });
  expect([byId.status, byId.body.ban.name]).toEqual([201, "Noisy"]);
});

test("banning again replaces the ban with 200, and a retry with the same key returns the first response", async () => {
  const { id } = await room();
  const send = { headers: { "idempotency-key": "ban-mallory-1" } };
  const first = await owner.post(`/api/channels/${id}/bans`, { username: "mallory" }, send);
  const retry = await owner.post(`/api/channels/${id}/bans`, { username: "mallory" }, send);
  expect([first.status, retry.status, retry.body.deduplicated]).toEqual([201, 200, true]);
  expect(retry.body.ban).toEqual(first.body.ban);
  const again = await ban(owner, id, { username: "mallory", reason: "and again" });
  expect([again.status, again.body.ban.reason]).toEqual([200, "and again"]);
  const page = (await owner.get(`/api/channels/${id}/bans?limit=1`)).body;
  expect(page).toMatchObject({ channel_id: id, has_more: false, next_offset: null, limit: 1 });
  expect(page.bans).toHaveLength(1);
});

test("a login after the ban does not get around it", async () => {
  const { id } = await room();
  await ban(owner, id, { username: "mallory" });
  const again = await logIn(server.url, "mallory");
  expectError(await again.post(`/api/channels/${id}/join`), 403, "banned");
});
