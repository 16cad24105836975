import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  eventually,
  PASSWORD,
  startTestServer,
  type TestServer,
} from "../../server/test/support/servers/test-server.ts";
import { ParleyClient } from "../src/client.ts";
import type { RealtimeClient } from "../src/realtime/realtime-client.ts";
import type { RealtimeEvent, RealtimeState } from "../src/realtime/realtime-types.ts";
import { QUICK, registered } from "./support/clients.ts";
import { NastyProxy } from "./support/proxy.ts";

let server: TestServer;
let proxy: NastyProxy;
const open: RealtimeClient[] = [];

beforeEach(async () => {
  server = await startTestServer();
  proxy = await NastyProxy.start(server.url);
});

afterEach(async () => {
  for (const live of open.splice(0)) live.close();
  await proxy[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

function keep(live: RealtimeClient): RealtimeClient {
  open.push(live);
  return live;
}

const is = (live: RealtimeClient, state: RealtimeState) =>
  eventually(`the connection is ${state}`, () => live.state === state);

test("a guest's connection knows its identity, sends every command and gets every answer", async () => {
  const live = keep(new ParleyClient({ url: server.url }).realtime({ backoff: QUICK }));
  expect([live.state, live.epoch]).toEqual(["connecting", null]);
  // Given before there is a connection, so it waits for one.
  await live.command("ping", {});
  expect([live.state, live.user, live.epoch]).toEqual(["live", null, server.ctx.epoch]);
  const { channel, my_role } = await live.command("channel:join", { channel_slug: "general" });
  expect([channel.channel_slug, my_role]).toEqual(["general", null]);
  await expect(live.send({ channel_id: channel.id, content: "hi" })).rejects.toMatchObject({
    code: "session_required",
    message: expect.stringContaining("Log in"),
  });
  await live.command("auth:login", { username: "nobody", password: "wrong" }).catch((error: unknown) => {
    expect(error).toMatchObject({ code: "invalid_credentials" });
  });
  expect((await live.command("channel:leave", { channel_id: channel.id })).channel_id).toBe(channel.id);
});

test("a user's connection logs in by the session or by auth:login", async () => {
  const ana = await registered(server.url, "ana");
  const byCookie = keep(ana.realtime());
  const byLogin = keep(
    new ParleyClient({ url: server.url }).realtime({ login: { username: "ana", password: PASSWORD } }),
  );
  const events: RealtimeEvent[] = [];
  byLogin.onEvent((event) => events.push(event));
  for (const live of [byCookie, byLogin]) {
    await is(live, "live");
    expect(live.user).toEqual({ username: "ana", admin_level: null });
  }
  // A connection that logs in becomes live as the wanted user, never as a guest first.
  expect(events.map(({ event }) => event)).toEqual(["session:ready"]);
  await byLogin.command("channel:join", { channel_slug: "general" });
  const { message_id } = await byCookie.send({ channel_slug: "general", content: "one" });
  expect((await byCookie.command("message:edit", { message_id, content: "two" })).chat_message.content).toBe("two");
  expect((await byCookie.command("message:delete", { message_id })).message_id).toBe(message_id);
  await byLogin.command("typing:start", { channel_slug: "general" });
  await byLogin.command("typing:stop", { channel_slug: "general" });
  await eventually("all is heard", () => events.filter(({ event }) => event === "typing").length === 2);
  expect(events.map(({ event }) => event)).toContain("message:update");
});

test("a failed login ends the connection, and a correct one opens a new one", async () => {
  await registered(server.url, "ana");
  const live = keep(new ParleyClient({ url: server.url }).realtime({ login: { username: "ana", password: "wrong" } }));
  const pinging = live.command("ping", {});
  await expect(pinging).rejects.toMatchObject({ code: "invalid_credentials" });
  expect(live.state).toBe("ended");
  await expect(live.command("ping", {})).rejects.toMatchObject({ code: "invalid_credentials" });
});

test("the end of a session closes the connection until open() is called", async () => {
  const ana = await registered(server.url, "ana");
  const live = keep(ana.realtime({ backoff: QUICK }));
  await is(live, "live");
  await ana.accounts.logout();
  await is(live, "ended");
  expect(live.error).toMatchObject({ code: "session_over", status: 401 });
  await ana.accounts.login({ username: "ana", password: PASSWORD });
  live.open();
  await is(live, "live");
  expect(live.user?.username).toBe("ana");
});

test("a session that ended while the connection was broken closes it, too", async () => {
  const ana = await registered(server.url, "ana");
  const through = new ParleyClient({ url: proxy.url, cookie: ana.cookie ?? undefined });
  const live = keep(through.realtime({ backoff: QUICK }));
  await is(live, "live");
  proxy.isDown = true;
  proxy.cutAll();
  await ana.accounts.logout();
  proxy.isDown = false;
  await is(live, "ended");
  expect(live.error).toMatchObject({ code: "session_over" });
});

test("reopen() gives the connection the client's new identity", async () => {
  const client = new ParleyClient({ url: server.url });
  const live = keep(client.realtime({ backoff: QUICK }));
  await is(live, "live");
  await client.accounts.register({ username: "ana", password: PASSWORD });
  live.reopen();
  await eventually("it is ana's", () => live.state === "live" && live.user?.username === "ana");
  await client.accounts.logout();
  live.reopen();
  await eventually("it is a guest's", () => live.state === "live" && live.user === null);
});

test("a send whose answer is lost arrives once; commands that cannot be repeated fail", async () => {
  const ana = await registered(server.url, "ana");
  const through = new ParleyClient({ url: proxy.url, cookie: ana.cookie ?? undefined });
  const live = keep(through.realtime({ backoff: QUICK }));
  const first = await live.send({ channel_slug: "general", content: "first" });
  proxy.swallowsAnswers = true;
  const sending = live.send({ channel_slug: "general", content: "second" });
  const editing = live.command("message:edit", { message_id: first.message_id, content: "changed" });
  await expect(editing).rejects.toMatchObject({ code: "connection_lost" });
  proxy.swallowsAnswers = false;
  expect(await sending).toMatchObject({ deduplicated: true, chat_message: { content: "second" } });
  expect((await ana.messages.list({ channel_id: "general" })).messages).toHaveLength(2);
});

test("a queued message is never sent as another user", async () => {
  await registered(server.url, "ana");
  await registered(server.url, "ben");
  const client = new ParleyClient({ url: proxy.url, backoff: { firstMs: 60_000, maxMs: 60_000 } });
  const become = (username: string) => client.accounts.login({ username, password: PASSWORD });
  await become("ana");
  const live = keep(client.realtime({ backoff: { firstMs: 60_000, maxMs: 60_000 } }));
  const connect: [string, () => void][] = [
    ["after reopen()", () => live.reopen()],
    // Another page of the same browser has logged in as a different user.
    ["after a break", () => live.open()],
  ];
  for (const [how, act] of connect) {
    await is(live, "live");
    proxy.cutAll();
    await is(live, "waiting");
    const sending = live.send({ channel_slug: "general", content: `ana's, ${how}` });
    sending.catch(() => {});
    await become("ben");
    act();
    await eventually("it is ben's", () => live.state === "live" && live.user?.username === "ben");
    await live.send({ channel_slug: "general", content: `ben's, ${how}` });
    await expect(sending).rejects.toMatchObject({ code: "session_over" });
    await become("ana");
    live.reopen();
    await eventually("it is ana's", () => live.user?.username === "ana");
  }
  const { messages } = await client.messages.list({ channel_id: "general" });
  expect(messages.map(({ username, content }) => `${username}: ${content}`)).toEqual(
    connect.map(([how]) => `ben: ben's, ${how}`),
  );
});

test("a silent connection is abandoned and replaced", async () => {
  const live = keep(new ParleyClient({ url: proxy.url }).realtime({ backoff: QUICK, pingSeconds: 0.05 }));
  await is(live, "live");
  const before = proxy.connections;
  proxy.holdsAnswers = new Promise(() => {});
  await eventually("it is given up", () => live.state !== "live");
  proxy.holdsAnswers = null;
  proxy.cutAll();
  await is(live, "live");
  expect(proxy.connections).toBeGreaterThan(before);
});

test("a timeout ends the wait for the answer to a command", async () => {
  proxy.isDown = true;
  const live = keep(new ParleyClient({ url: proxy.url }).realtime({ backoff: QUICK }));
  await expect(live.command("ping", {}, { timeoutMs: 20 })).rejects.toMatchObject({ code: "timeout", retryable: true });
  await expect(live.send({ channel_slug: "general", content: "late" }, { timeoutMs: 20 })).rejects.toMatchObject({
    code: "timeout",
  });
});

test("a signal ends the wait for an answer", async () => {
  proxy.isDown = true;
  const live = keep(new ParleyClient({ url: proxy.url }).realtime({ backoff: QUICK }));
  const stop = new AbortController();
  const pinging = live.command("ping", {}, { signal: stop.signal });
  stop.abort(new Error("enough"));
  await expect(pinging).rejects.toThrow("enough");
  await expect(live.command("ping", {}, { signal: stop.signal })).rejects.toThrow("enough");
  // A late typing notice is useless.
  await expect(live.command("typing:start", { channel_id: 1 })).rejects.toMatchObject({ code: "connection_lost" });
});

test("close() rejects pending commands and does not reconnect", async () => {
  proxy.isDown = true;
  const live = new ParleyClient({ url: proxy.url }).realtime({ backoff: QUICK });
  const states: RealtimeState[] = [];
  live.onState((state) => states.push(state));
  const sending = live.send({ channel_slug: "general", content: "never" });
  await eventually("some tries have failed", () => proxy.connections >= 3);
  live.close();
  await expect(sending).rejects.toMatchObject({ code: "connection_closed" });
  expect(states.at(-1)).toBe("ended");
});
