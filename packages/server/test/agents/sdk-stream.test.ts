import { expect, test } from "bun:test";
import { AgentClient, isMessageItem, type StreamPiece } from "@parley/sdk";
import { chances, NastyProxy } from "../../../sdk/test/support/proxy.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { newChannel } from "../support/new-channel.ts";
import { TestSocket } from "../support/servers/socket.ts";
import { eventually, startTestServer } from "../support/servers/test-server.ts";

/** `AgentClient.stream` of the sdk: pieces of a model become one message, whatever the network does. */

const server = await forAllTests(startTestServer({ rateLimits: "off" }));
const ann = await server.user("ann");
const { apiKey } = await server.agent("Scout");
const room = () => newChannel(ann, {});
const agent = (url = server.url) =>
  new AgentClient({ url, apiKey, name: "Scout", backoff: { firstMs: 1, maxMs: 5 }, maxRetries: 100 });
const open = async (slug: string) => {
  const socket = await TestSocket.open(server.url);
  await socket.command("channel:join", { channel_slug: slug });
  return socket;
};
async function* words(text: string, waitMs = 0): AsyncGenerator<StreamPiece> {
  yield { status: "thinking" };
  for (const word of text.split(/(?<= )/)) {
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    yield word;
  }
}

test("writes pieces as one message, while others watch", async () => {
  const { slug } = await room();
  using socket = await open(slug);
  const text = "Rain at noon, 😀 then sun until the evening.";
  const answer = await agent().stream(slug, words(text, 30));
  expect(answer).toMatchObject({ finish_reason: "finished", deduplicated: false, rest: [] });
  expect(answer.chat_message).toMatchObject({ content: text, agent_name: "Scout" });
  const deltas = socket.frames.filter(({ event }) => event === "stream:delta");
  expect(deltas.length).toBeGreaterThan(1);
  expect(deltas.some(({ data }) => data.status === "thinking")).toBe(true);
});

test("has the newest acts of a flood", async () => {
  const { slug } = await room();
  const flood = Array.from({ length: 120 }, (_, n) => ({
    id: `${n}`,
    title: `Step ${n}`,
    kind: "read" as const,
    status: "ok" as const,
  }));
  const answer = await agent().stream(slug, ["Done.", { activity: flood }]);
  expect(answer.chat_message.activity).toEqual(flood.slice(-50));
});

test("finishes with a card and the usage", async () => {
  const { slug } = await room();
  const components = [
    { type: "row" as const, elements: [{ type: "link" as const, label: "Log", url: "https://example.org/" }] },
  ];
  const finish = { components, usage: { model: "large-1", input_tokens: 10, output_tokens: 2 } };
  const answer = await agent().stream(slug, ["Done."], { finish });
  expect(answer.chat_message.components).toEqual(finish.components);
  const { body } = await ann.get(`/api/messages?channel_slug=${slug}`);
  expect(body.messages).toMatchObject([{ content: "Done.", components: finish.components }]);
});

test("loses and doubles nothing if requests or answers are lost", async () => {
  const { slug } = await room();
  await using proxy = await NastyProxy.start(server.url);
  const chance = chances(3);
  // An append and its answer have some 1,000 bytes: cuts fall before, inside and after the request and the answer.
  proxy.budget = () => (proxy.cuts < 30 ? Math.floor(2_000 * chance()) : null);
  const text = Array.from({ length: 12 }, (_, n) => `word-${n}`).join(" ");
  const answer = await agent(proxy.url).stream(slug, words(text, 40));
  expect(answer.chat_message.content).toBe(text);
  const { body } = await ann.get(`/api/messages?channel_slug=${slug}`);
  expect(body.messages.length).toBe(1);
  expect(proxy.cuts).toBeGreaterThan(3);
});

test("splits what is too long between paragraphs, and sends the rest together", async () => {
  const { slug } = await room();
  const paragraph = `${"sentence. ".repeat(150).trim()}\n\n`;
  const code = `\`\`\`js\n${"let a = 1;\n".repeat(300)}\`\`\``;
  const answer = await agent().stream(slug, [paragraph, paragraph, paragraph, code]);
  const contents = [answer.chat_message, ...answer.rest].map(({ content }) => content);
  expect(contents.length).toBeGreaterThanOrEqual(2);
  for (const content of contents) {
    expect(content.length).toBeLessThanOrEqual(4_000);
    expect((content.match(/```/g)?.length ?? 0) % 2).toBe(0);
  }
  expect(contents.join(" ").match(/sentence\./g)?.length).toBe(450);
  expect(contents.join("\n").match(/let a = 1;/g)?.length).toBe(300);
});

test("leaves nothing if the pieces fail, and answers a mention once", async () => {
  const { slug } = await room();
  using socket = await open(slug);
  async function* broken() {
    yield "half";
    await socket.next(({ event }) => event === "stream:delta");
    throw new Error("the model is gone");
  }
  expect(agent().stream(slug, broken())).rejects.toThrow("the model is gone");
  const { data } = await socket.next(({ event }) => event === "stream:end");
  expect(data.message_id).toBeNull();
  await ann.post("/api/messages", { channel_slug: slug, content: "@Scout really?" });
  const scout = agent();
  for await (const item of scout.inbox()) {
    if (item.kind !== "mention") continue;
    const [first, again] = [await scout.stream(item, ["yes"]), await scout.stream(item, ["no"])];
    expect([first.message_id, "yes", true]).toEqual([again.message_id, again.chat_message.content, again.deduplicated]);
    break;
  }
  await eventually("one answer", async () => {
    const { body } = await ann.get(`/api/messages?channel_slug=${slug}`);
    return body.messages.length === 2;
  });
});

test("a person's stop ends the handler of that thread, whose item is acknowledged, and what was written stays", async () => {
  const { slug, id } = await room();
  const stop = new AbortController();
  const handled: string[] = [];
  const client = agent();
  const run = client.run({
    signal: stop.signal,
    async onItem(item, { signal }) {
      if (!isMessageItem(item) || item.channel_id !== id) return;
      handled.push(item.chat_message.content);
      async function* endless(): AsyncGenerator<StreamPiece> {
        yield "I write";
        await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
      }
      if (item.chat_message.content.includes("first"))
        await client.stream(slug, endless(), { signal, fields: { reply_to_id: item.chat_message.id } });
    },
  });
  using socket = await open(slug);
  const first = (await ann.post("/api/messages", { channel_id: id, content: "@Scout first" })).body.message_id;
  await ann.post("/api/messages", { channel_id: id, content: "@Scout second" });
  await socket.next(({ event, data }) => event === "stream:delta" && data.delta === "I write");
  const { agent_id } = await client.calls.me();
  const stopped = await ann.post(`/api/channels/${id}/stop`, { agent_id, thread_root_id: first });
  expect(stopped.body.stopped).toBe(true);
  await eventually("nothing waits", async () => handled.length === 2 && (await client.calls.me()).pending === 0);
  stop.abort();
  await run;
  expect(handled).toEqual(["@Scout first", "@Scout second"]);
  const { body } = await ann.get(`/api/messages?channel_slug=${slug}`);
  expect(body.messages.map(({ content }: { content: string }) => content)).toEqual([
    "@Scout first",
    "@Scout second",
    "I write",
  ]);
});

test("an answer that a person stopped is not continued, however much there was to say", async () => {
  const { slug, id } = await room();
  using socket = await open(slug);
  const asked = (await ann.post("/api/messages", { channel_id: id, content: "@Scout tell me all" })).body.message_id;
  let hasStopped = () => {};
  const gate = new Promise<void>((resolve) => {
    hasStopped = resolve;
  });
  async function* long(): AsyncGenerator<StreamPiece> {
    yield "It begins. ";
    await gate;
    for (let n = 0; n < 3; n += 1) yield `${"more ".repeat(600)}\n\n`;
  }
  const client = agent();
  const writing = client.stream(slug, long(), { fields: { reply_to_id: asked } });
  await socket.next(({ event, data }) => event === "stream:delta" && data.delta.includes("begins"));
  const { agent_id } = await client.calls.me();
  await ann.post(`/api/channels/${id}/stop`, { agent_id });
  hasStopped();
  expect(await writing).toMatchObject({ finish_reason: "stopped", rest: [], chat_message: { content: "It begins. " } });
  const { body } = await ann.get(`/api/messages?channel_slug=${slug}`);
  expect(body.messages).toHaveLength(2);
});
