import { afterEach, beforeEach, expect, test } from "bun:test";
import { eventually, startTestServer, type TestServer } from "../../server/test/support/servers/test-server.ts";
import { ParleyClient } from "../src/client.ts";
import { QUICK, registered } from "./support/clients.ts";
import { noPauses } from "./support/no-pauses.ts";
import { NastyProxy } from "./support/proxy.ts";

let server: TestServer;
let proxy: NastyProxy;
let ana: ParleyClient;

beforeEach(async () => {
  server = await startTestServer();
  proxy = await NastyProxy.start(server.url);
  ana = await registered(server.url, "ana", { url: proxy.url });
});

afterEach(async () => {
  await proxy[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const contents = async () =>
  (await new ParleyClient({ url: server.url }).messages.list({ channel_id: "general" })).messages.map(
    ({ content }) => content,
  );

test("a send that times out on a slow answer is repeated without creating a second message", async () => {
  let release = () => {};
  proxy.holdsAnswers = new Promise((resolve) => {
    release = resolve;
  });
  // Only here: a slow answer on a busy machine is not a lost answer.
  const hurried = new ParleyClient({
    url: proxy.url,
    cookie: ana.cookie ?? undefined,
    timeoutMs: 1_000,
    backoff: QUICK,
  });
  const sending = hurried.messages.send({ channel_slug: "general", content: "once" });
  await eventually("it was sent again", () => proxy.connections >= 2);
  release();
  proxy.holdsAnswers = null;
  expect(await sending).toMatchObject({ deduplicated: true, chat_message: { content: "once" } });
  expect(await contents()).toEqual(["once"]);
});

test("a send whose answer is lost is repeated until it is confirmed", async () => {
  proxy.swallowsAnswers = true;
  const sending = ana.messages.send({ channel_slug: "general", content: "once" });
  await eventually("two answers are lost", () => proxy.cuts >= 2);
  proxy.swallowsAnswers = false;
  expect(await sending).toMatchObject({ deduplicated: true });
  expect(await contents()).toEqual(["once"]);
});

test("a channel is created once, even if the answer was lost", async () => {
  proxy.swallowsAnswers = true;
  const creating = ana.channels.create({ name: "Garden" });
  await eventually("an answer is lost", () => proxy.cuts >= 1);
  proxy.swallowsAnswers = false;
  expect(await creating).toMatchObject({ deduplicated: true, channel_slug: "garden" });
});

test("a call that is unsafe to repeat is not repeated", async () => {
  const { message_id } = await ana.messages.send({ channel_slug: "general", content: "one" });
  // The runtime itself retries on a broken keep-alive connection, so the next call starts on a new one.
  proxy.cutAll();
  proxy.swallowsAnswers = true;
  const before = proxy.cuts;
  await expect(ana.messages.edit(message_id, "two")).rejects.toMatchObject({ code: "network_error", status: 0 });
  expect(proxy.cuts).toBe(before + 1);
  proxy.swallowsAnswers = false;
  expect(await contents()).toEqual(["two"]);
});

test("an unreachable server is reported as such after a few attempts", async () => {
  proxy.isDown = true;
  const before = proxy.connections;
  await expect(ana.channels.list()).rejects.toMatchObject({ code: "network_error", status: 0 });
  expect(proxy.connections - before).toBeGreaterThanOrEqual(5);
});

test("an answer that never arrives is a timeout", async () => {
  proxy.holdsAnswers = new Promise(() => {});
  const hurried = new ParleyClient({ url: proxy.url, timeoutMs: 30, maxRetries: 1, backoff: QUICK });
  await expect(hurried.channels.list()).rejects.toMatchObject({ code: "timeout" });
});

test("the caller's own signal ends the call with its reason", async () => {
  proxy.holdsAnswers = new Promise(() => {});
  const stop = new AbortController();
  const reading = ana.messages.list({ channel_id: "general" }, { signal: stop.signal });
  stop.abort(new Error("changed my mind"));
  await expect(reading).rejects.toThrow("changed my mind");
});

test("a short 429 is waited out; a long one, or one that keeps a person waiting, is returned", async () => {
  const answers = [
    { status: 429, code: "slow_mode", retry_after: 1 },
    { status: 503, code: "overloaded", retry_after: 1 },
    { status: 201, code: "" },
    { status: 429, code: "slow_mode", retry_after: 60 },
    { status: 429, code: "rate_limited", retry_after: 1 },
    { status: 503, code: "storage_unavailable", retry_after: 1 },
  ];
  let asked = 0;
  await using fake = Bun.serve({
    port: 0,
    fetch() {
      const { status, ...body } = answers[asked++] ?? { status: 500, code: "out_of_answers" };
      return Response.json({ success: status < 300, error: "no", ...body }, { status });
    },
  });
  const client = new ParleyClient({ url: String(fake.url) });
  using timers = noPauses();
  await client.messages.send({ channel_id: 1, content: "patient" });
  expect(asked).toBe(3);
  expect(timers.pauses.filter((ms) => ms >= 1_000)).toHaveLength(2);
  const refused = client.messages.send({ channel_id: 1, content: "too long to wait" });
  await expect(refused).rejects.toMatchObject({ code: "slow_mode", status: 429, retryAfter: 60 });
  await expect(client.accounts.login({ username: "a", password: "b" })).rejects.toMatchObject({ retryAfter: 1 });
  // The write may have happened: only idempotent calls may be sent again.
  await expect(client.messages.edit(1, "x")).rejects.toMatchObject({ code: "storage_unavailable" });
  expect(asked).toBe(6);
});

test("a page that is not from a Parley server is rejected", async () => {
  await using fake = Bun.serve({ port: 0, fetch: () => new Response("<h1>Hello</h1>") });
  const client = new ParleyClient({ url: String(fake.url), maxRetries: 0 });
  await expect(client.channels.list()).rejects.toMatchObject({ code: "invalid_answer", status: 200 });
});
