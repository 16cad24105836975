import { afterEach, beforeEach, expect, test } from "bun:test";
import { revokeKey } from "../../server/src/agents/keys/keys.ts";
import { temporaryFolder } from "../../server/test/support/config.ts";
import { ChildServer, freePort } from "../../server/test/support/servers/child-server.ts";
import { eventually, startTestServer, type TestServer } from "../../server/test/support/servers/test-server.ts";
import { AgentClient } from "../src/agent-client.ts";
import type { ParleyClient } from "../src/client.ts";
import type { AgentEvent } from "../src/event-stream.ts";
import { QUICK, registered } from "./support/clients.ts";
import { chances, NastyProxy } from "./support/proxy.ts";

let server: TestServer;
let ana: ParleyClient;
let apiKey: string;
let keyId: string;

beforeEach(async () => {
  server = await startTestServer();
  ana = await registered(server.url, "ana");
  ({ apiKey, keyId } = await server.agent("Scout"));
});

afterEach(() => server[Symbol.asyncDispose]());

const scout = (url = server.url) => new AgentClient({ url, apiKey, name: "Scout", backoff: QUICK });
const say = (content: string) => ana.messages.send({ channel_slug: "general", content });
const contents = async () =>
  (await ana.messages.list({ channel_id: "general", limit: 200 })).messages.map(({ content }) => content);

test("the mention loop answers mentions one by one as they arrive", async () => {
  const agent = scout();
  expect((await agent.login("general")).agent_name).toBe("Scout");
  const stop = new AbortController();
  const answering = (async () => {
    for await (const mention of agent.mentions({ signal: stop.signal })) {
      await agent.reply(mention, `You said: ${mention.content.replace("@Scout ", "")}`);
      if (mention.content.endsWith("bye")) stop.abort();
    }
  })();
  await say("@Scout hello");
  await eventually("it has answered", async () => (await contents()).includes("You said: hello"));
  await say("@Scout bye");
  await answering;
  expect(await contents()).toEqual(["@Scout hello", "You said: hello", "@Scout bye", "You said: bye"]);
  expect((await agent.logout("general")).was_online).toBe(true);
});

test("a mention whose handler failed is delivered again, and its answer is not posted twice", async () => {
  const agent = scout();
  await say("@Scout one");
  await say("@Scout two");
  const failing = (async () => {
    for await (const mention of agent.mentions()) {
      await agent.reply(mention, "first answer");
      throw new Error("the handler broke");
    }
  })();
  await expect(failing).rejects.toThrow("the handler broke");
  const answers: unknown[] = [];
  for await (const mention of agent.mentions()) {
    answers.push((await agent.reply(mention, `second answer to ${mention.content}`))?.chat_message.content ?? null);
    if (answers.length === 2) break;
  }
  expect(answers).toEqual([null, "second answer to @Scout two"]);
  const mention = (await agent.calls.mentions({ mark_read: false })).mentions[0];
  expect(mention?.content).toBe("@Scout two");
});

test("an aborted mention loop yields nothing more, and handled mentions are not delivered again", async () => {
  const agent = scout();
  const last = (await ana.channels.get(1)).channel.last_seq;
  for (const text of ["one", "two", "three"]) await say(`@Scout ${text}`);
  const run = async () => {
    const stop = new AbortController();
    const heard: string[] = [];
    for await (const { content } of agent.mentions({ signal: stop.signal })) {
      heard.push(content);
      stop.abort();
    }
    return heard;
  };
  expect(await run()).toEqual(["@Scout one"]);
  expect(await run()).toEqual(["@Scout two"]);
  const stop = new AbortController();
  const read: string[] = [];
  for await (const { content } of agent.messages("general", { afterSeq: last, signal: stop.signal })) {
    read.push(content);
    stop.abort();
  }
  expect(read).toEqual(["@Scout one"]);
});

test("reading a channel starts at its first message and waits for new ones", async () => {
  const last = (await ana.channels.get(1)).channel.last_seq;
  await say("one");
  const stop = new AbortController();
  const heard: string[] = [];
  for await (const { content } of scout().messages("general", { afterSeq: last, signal: stop.signal })) {
    heard.push(content);
    if (heard.length === 1) await say("two");
    else stop.abort();
  }
  expect(heard).toEqual(["one", "two"]);
});

test("context_stale carries the messages that the agent missed", async () => {
  const { seq } = await say("one");
  await say("two");
  await expect(scout().send("general", "about one", { expected_last_seq: seq })).rejects.toMatchObject({
    code: "context_stale",
    status: 409,
    details: { messages: [{ content: "two" }] },
  });
});

test("the event stream survives broken connections: both channels arrive in order, mentions once", async () => {
  await using proxy = await NastyProxy.start(server.url);
  const chance = chances(11);
  proxy.budget = () => (proxy.cuts < 30 ? Math.floor(200 + 6_000 * chance()) : null);
  const agent = scout(proxy.url);
  const { last_seq } = await scout().login("general");
  const { channel_id: side } = await ana.channels.create({ name: "Side" });
  const { last_seq: sideFrom } = await scout().login("side");
  const heard: AgentEvent[] = [];
  const stop = new AbortController();
  const listening = (async () => {
    // From a position, so that messages sent before the first connection are delivered too.
    for await (const event of agent.events({ signal: stop.signal, lastEventId: `1:${last_seq}` })) heard.push(event);
  })();
  let last = last_seq;
  let sideLast = sideFrom;
  for (let n = 1; n <= 300 || proxy.cuts < 30; n++) {
    last = (await say(n % 10 === 0 ? `@Scout ${n}` : `${n}`)).seq;
    if (n % 3 === 0) sideLast = (await ana.messages.send({ channel_id: side, content: `${n}` })).seq;
  }
  const seqs = (channelId: number) =>
    heard.flatMap((event) =>
      event.event === "message:new" && event.data.channel_id === channelId ? [event.data.seq] : [],
    );
  await eventually("all is heard", () => seqs(1).at(-1) === last && seqs(side).at(-1) === sideLast, 10_000);
  expect(seqs(1)).toEqual(Array.from({ length: last - last_seq }, (_, n) => last_seq + n + 1));
  expect(seqs(side)).toEqual(Array.from({ length: sideLast - sideFrom }, (_, n) => sideFrom + n + 1));
  const mentions = heard.flatMap((event) => (event.event === "mention:new" ? [event.data.chat_message.id] : []));
  expect(new Set(mentions).size).toBe(mentions.length);
  stop.abort();
  await listening;
  expect(proxy.cuts).toBeGreaterThanOrEqual(30);
});

test("a revoked key ends the event stream and the mention loop with its error", async () => {
  const agent = scout();
  const streaming = Array.fromAsync(agent.events());
  const looping = Array.fromAsync(agent.mentions());
  for (const failing of [streaming, looping]) failing.catch(() => {});
  await eventually("both wait", () => agent.login("general"));
  await revokeKey(server.ctx, keyId);
  await expect(looping).rejects.toMatchObject({ code: "key_revoked" });
  await expect(streaming).rejects.toMatchObject({ code: "key_revoked" });
});

test("the mention loop and the event stream wait until a restarted server is back", async () => {
  await using child = new ChildServer(temporaryFolder(), freePort());
  await child.start();
  const ben = await registered(child.url, "ben", { maxRetries: 1_000 });
  // Not a key of this server: the thrown error shows that the server answered.
  const agent = new AgentClient({ url: child.url, apiKey, name: "Scout", backoff: QUICK });
  await child.end("SIGKILL");
  const looping = Array.fromAsync(agent.mentions());
  const reading = ben.accounts.sessions();
  looping.catch(() => {});
  await child.start();
  await expect(looping).rejects.toMatchObject({ code: "invalid_api_key", status: 401 });
  expect((await reading).sessions).toHaveLength(1);
});

test("an agent is shown as thinking while its work runs, also when the work fails", async () => {
  using live = ana.realtime();
  const reported: boolean[] = [];
  live.onEvent(({ event, data }) => event === "typing" && data.kind === "agent" && reported.push(data.typing));
  await live.command("channel:join", { channel_slug: "general" });
  const agent = scout();
  const work = agent.thinking("general", async () => {
    await eventually("it is shown", () => reported.length === 1);
    return "done";
  });
  expect(await work).toBe("done");
  await expect(agent.thinking("general", () => Promise.reject(new Error("no idea")))).rejects.toThrow("no idea");
  await eventually("each has its end", () => reported.length === 4);
  expect(reported).toEqual([true, false, true, false]);
  // In the thread where it was asked.
  const threads: unknown[] = [];
  live.onEvent(({ event, data }) => event === "typing" && threads.push(data.thread_root_id));
  const root = await ana.messages.send({ channel_slug: "general", content: "@Scout why?" });
  const reply = { channel_slug: "general", content: "@Scout and here?", thread_root_id: root.message_id };
  await ana.messages.send(reply);
  for (const mention of (await agent.calls.mentions({ mark_read: true })).mentions)
    await agent.thinking(mention, () => Promise.resolve());
  await eventually("both are shown", () => threads.length >= 4);
  expect(threads.slice(-4)).toEqual([undefined, undefined, root.message_id, root.message_id]);
  // If it may not be shown, the work is done anyway.
  expect(await agent.thinking("nowhere", () => Promise.resolve("done"))).toBe("done");
});

test("an agent uploads, sends and reads files within a limit", async () => {
  const agent = scout();
  const bytes = new TextEncoder().encode("month,sales\n1,2\n");
  const file = await agent.upload(bytes, { name: "sales.csv", altText: "Sales a month" });
  expect(file).toMatchObject({ name: "sales.csv", alt_text: "Sales a month", agent_name: "Scout" });
  await agent.send("general", "", { file_ids: [file.file_id] });
  expect(await agent.readFile(file)).toEqual(bytes);
  await expect(agent.readFile(file.file_id, { maxBytes: 5 })).rejects.toMatchObject({ code: "file_too_large" });
  await expect(agent.readFile(999)).rejects.toMatchObject({ code: "file_not_found" });
});
