import { afterEach, beforeEach, expect, test } from "bun:test";
import { allRoutes } from "../../server/src/app.ts";
import { PASSWORD, startTestServer, type TestServer } from "../../server/test/support/test-server.ts";
import { ParleyClient } from "../src/client.ts";
import { ParleyError } from "../src/errors.ts";

/** What was asked of the server, as `GET /api/channels/:channel_id`. */
const asked = new Set<string>();
const patterns = allRoutes().map(({ method, path }) => ({
  name: `${method} ${path}`,
  pattern: new RegExp(`^${method} ${path.replace(/:\w+/g, "[^/]+")}$`),
}));
const realFetch = globalThis.fetch;
let server: TestServer;

beforeEach(async () => {
  server = await startTestServer();
  globalThis.fetch = Object.assign((url: string | URL | Request, init?: RequestInit) => {
    const line = `${init?.method ?? "GET"} ${new URL(String(url)).pathname}`;
    const exact = patterns.find(({ pattern }) => pattern.test(line));
    asked.add(exact?.name ?? line);
    return realFetch(url, init);
  }, realFetch);
});

afterEach(async () => {
  globalThis.fetch = realFetch;
  await server[Symbol.asyncDispose]();
});

/** A picture of one pixel. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

async function person(username: string): Promise<ParleyClient> {
  const client = new ParleyClient({ url: server.url });
  await client.accounts.register({ username, password: PASSWORD });
  return client;
}

test("accounts and sessions", async () => {
  const ana = await person("ana");
  expect(ana.cookie).toMatch(/^parley_session=/);
  await ana.accounts.updateUser("ana", { avatar: PNG, email: "ana@example.org" });
  const { email, invite_code, is_online } = await ana.accounts.user("ana");
  expect({ email, hasCode: typeof invite_code, is_online }).toEqual({
    email: "ana@example.org",
    hasCode: "string",
    is_online: false,
  });
  const { bytes, type } = await ana.accounts.avatar("ana");
  expect([type, bytes.subarray(1, 4)]).toEqual(["image/png", new TextEncoder().encode("PNG")]);
  expect((await ana.accounts.honor("ana")).message_count).toBe(0);

  const again = new ParleyClient({ url: server.url });
  const { user } = await again.accounts.login({ username: "ana", password: PASSWORD });
  expect(user).toEqual({ username: "ana", admin_level: null });
  const { sessions } = await again.accounts.sessions();
  const other = sessions.find(({ current }) => !current)?.session_id ?? 0;
  await again.accounts.endSession(other);
  await expect(ana.accounts.sessions()).rejects.toMatchObject({ code: "session_required", status: 401 });
  await again.accounts.logout();
  expect(again.cookie).toBeNull();
});

test("a session goes on in another client by its cookie", async () => {
  const ana = await person("ana");
  const later = new ParleyClient({ url: `${server.url}/`, cookie: ana.cookie ?? undefined });
  expect((await later.accounts.sessions()).sessions).toHaveLength(1);
});

test("channels and members", async () => {
  const ana = await person("ana");
  const ben = await person("ben");
  const { channel_id, channel } = await ana.channels.create({ name: "Garden", is_private: true, password: "roses" });
  expect(channel).toMatchObject({ channel_slug: "garden", my_role: "owner", has_password: true });
  expect((await ana.channels.list({ limit: 1 })).has_more).toBe(true);
  await expect(ben.channels.get(channel_id)).rejects.toMatchObject({ code: "password_required", status: 403 });
  expect((await ben.channels.join(channel_id, "roses")).my_role).toBe("member");
  expect((await ben.channels.get(channel_id)).channel.member_count).toBe(2);
  await ana.channels.update(channel_id, { topic: "Roses" });
  expect((await ana.channels.setMember(channel_id, "ben", { role: "admin" })).member.role).toBe("admin");
  expect((await ana.channels.members(channel_id)).members.map(({ name }) => name)).toEqual(["ana", "ben"]);
  expect(await ana.channels.online(channel_id)).toMatchObject({ count: 0, users: [] });
  expect(await ana.channels.guard(channel_id)).toMatchObject({ tripped: false });
  expect(await ana.channels.clearGuard(channel_id)).toMatchObject({ consecutive: 0 });
  expect((await ana.channels.removeMember(channel_id, "ben")).username).toBe("ben");
  const { channel_id: open } = await ana.channels.create({ name: "Open" });
  await ben.channels.join(open);
  await ben.channels.leave(open);
  expect((await ana.channels.delete(open)).channel_id).toBe(open);
});

test("messages and pins", async () => {
  const ana = await person("ana");
  const { channel_id } = await ana.channels.create({ name: "Notes" });
  const first = await ana.messages.send({ channel_id, content: "one" });
  expect(first.chat_message.client_msg_id).toMatch(/^[0-9a-f]{32}$/);
  for (let n = 2; n <= 5; n++) await ana.messages.send({ channel_slug: "notes", content: `number ${n}` });
  expect((await ana.messages.edit(first.message_id, "one!")).chat_message.content).toBe("one!");
  expect((await ana.messages.pin(first.message_id)).is_pinned).toBe(true);
  expect((await ana.channels.pins(channel_id)).messages.map(({ id }) => id)).toEqual([first.message_id]);
  expect((await ana.messages.unpin(first.message_id)).is_pinned).toBe(false);
  await ana.messages.delete(first.message_id);
  const page = await ana.messages.history({ channel_id: "notes", limit: 2 });
  expect(page).toMatchObject({ has_more: true, limit: 2 });
  const all = await Array.fromAsync(ana.messages.after("notes"));
  expect(all.map(({ content }) => content)).toEqual(["", "number 2", "number 3", "number 4", "number 5"]);
  expect(all[0]?.is_deleted).toBe(true);
});

test("the agents' hub", async () => {
  const { apiKey } = await server.agent("Scout");
  const scout = new ParleyClient({ url: server.url, apiKey });
  const ana = await person("ana");
  const { last_seq, users } = await scout.agents.login({ channel_slug: "general", agent_name: "Scout" });
  expect(users).toMatchObject([{ kind: "agent", name: "Scout" }]);
  const waiting = scout.agents.messages({ channel_slug: "general", after_seq: last_seq, wait: 10 });
  const mention = scout.agents.mentions({ mark_read: false, wait: 10 });
  const stop = new AbortController();
  const heard: string[] = [];
  const listening = (async () => {
    for await (const { event } of scout.agents.events({ signal: stop.signal })) {
      heard.push(event);
      if (heard.includes("mention:new") && heard.includes("message:new")) stop.abort();
    }
  })();
  const sent = await ana.messages.send({ channel_slug: "general", content: "@Scout, are you there?" });
  expect((await waiting).messages.map(({ id }) => id)).toEqual([sent.message_id]);
  const { mentions } = await mention;
  expect(mentions.map(({ message_id }) => message_id)).toEqual([sent.message_id]);
  expect(await scout.agents.ackMentions({ mention_ids: [mentions[0]?.mention_id ?? 0] })).toMatchObject({
    acknowledged: 1,
    remaining: 0,
  });
  const reply = await scout.agents.send({ channel_slug: "general", agent_name: "Scout", message: "I am." });
  expect(reply.seq).toBe(sent.seq + 1);
  await listening;
  expect((await scout.agents.logout()).was_online).toBe(true);
});

test("an error says all the wire says", async () => {
  const guest = new ParleyClient({ url: server.url });
  const error = await guest.messages.history({ channel_id: "nowhere" }).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(ParleyError);
  expect(error).toMatchObject({ code: "channel_not_found", status: 404, message: "There is no such channel." });
  expect((error as ParleyError).requestId).toMatch(/-/);
  await expect(guest.channels.list({ limit: 0 })).rejects.toMatchObject({ code: "invalid_limit", status: 400 });
  await expect(guest.accounts.register({ username: "x", password: "y" })).rejects.toMatchObject({
    code: "invalid_username",
  });
});

/** Last: what the tests above have asked for. */
test("every endpoint has its method", () => {
  const wire = new Set(["Accounts", "Channels", "Messages", "Agents"]);
  const endpoints = allRoutes().filter(({ tag }) => wire.has(tag));
  const missing = endpoints.map(({ method, path }) => `${method} ${path}`).filter((name) => !asked.has(name));
  expect(missing).toEqual([]);
});
