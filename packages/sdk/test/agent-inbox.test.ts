import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { revokeKey } from "../../server/src/agents/keys/keys.ts";
import { eventually, startTestServer, type TestServer } from "../../server/test/support/servers/test-server.ts";
import { AgentClient } from "../src/agent-client.ts";
import type { RunOptions } from "../src/agent-options.ts";
import { ParleyClient } from "../src/client.ts";
import { ParleyError } from "../src/errors.ts";
import { type AgentItem, isMessageItem } from "../src/inbox-reader.ts";
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
const say = (content: string, channel_slug = "general") => ana.messages.send({ channel_slug, content });
const pending = async () => (await scout().calls.me()).pending;
const textOf = (item: AgentItem): string => item.chat_message?.content.replace("@Scout ", "") ?? "";
const answers = async (channel_id: string | number = "general") => {
  const { messages } = await ana.messages.list({ channel_id, limit: 200 });
  return messages.filter(({ sender_type }) => sender_type === "agent").map(({ content }) => content);
};
const temporary = () => new ParleyError("overloaded", "Busy.", { status: 503, retryable: true });

describe("AgentClient.inbox", () => {
  test("yields what waits, then what arrives, and acknowledges an item when the next one is requested", async () => {
    for (const text of ["one", "two"]) await say(`@Scout ${text}`);
    const agent = scout();
    const stop = new AbortController();
    const heard: string[] = [];
    for await (const item of agent.inbox({ signal: stop.signal })) {
      if (!isMessageItem(item)) continue;
      heard.push(textOf(item));
      await agent.reply(item, `Heard ${textOf(item)}.`);
      if (heard.length === 2) await say("@Scout three");
      if (heard.length === 3) stop.abort();
    }
    expect(heard).toEqual(["one", "two", "three"]);
    expect(await answers()).toEqual(["Heard one.", "Heard two.", "Heard three."]);
    expect(await pending()).toBe(0);
  });

  test("an item whose handling failed is yielded again, and its answer is not posted twice", async () => {
    await say("@Scout one");
    const failing = (async () => {
      for await (const item of scout().inbox({ kinds: ["mention"] })) {
        if (isMessageItem(item)) await scout().reply(item, "first answer");
        throw new Error("the handler broke");
      }
    })();
    await expect(failing).rejects.toThrow("the handler broke");
    for await (const item of scout().inbox()) {
      if (isMessageItem(item)) expect(await scout().reply(item, "second answer")).toBeNull();
      break;
    }
    expect(await answers()).toEqual(["first answer"]);
    expect(await pending()).toBe(1);
  });

  test("with manualAck, an item that fails stops neither the loop nor what follows it", async () => {
    for (const text of ["bad", "one", "two"]) await say(`@Scout ${text}`);
    const agent = scout();
    const heard: string[] = [];
    for await (const item of agent.inbox({ manualAck: true })) {
      heard.push(textOf(item));
      if (textOf(item) !== "bad") await agent.ack(item);
      if (heard.length === 3) await say("@Scout three");
      if (heard.length === 4) break;
    }
    expect(heard).toEqual(["bad", "one", "two", "three"]);
    expect(await pending()).toBe(1);
  });

  test("a mention that was answered through mentions() is not answered again through the inbox", async () => {
    await say("@Scout one");
    for await (const mention of scout().mentions()) {
      await scout().reply(mention, "once");
      break;
    }
    for await (const item of scout().inbox()) {
      if (isMessageItem(item)) expect(await scout().reply(item, "twice")).toBeNull();
      break;
    }
    expect(await answers()).toEqual(["once"]);
  });
});

test("answers a direct message in its conversation", async () => {
  await server.ctx.db.updateTable("agents").set({ dm_policy: "everyone" }).execute();
  const { channel_id } = await ana.channels.openDirect({ agent_name: "Scout" });
  await ana.messages.send({ channel_id, content: "Are you there?" });
  const agent = scout();
  for await (const item of agent.inbox({ kinds: ["direct"] })) {
    if (!isMessageItem(item)) continue;
    expect(item).toMatchObject({ kind: "direct", channel_id, notice: null });
    expect(await agent.reply(item, "Yes.")).toMatchObject({ channel_id });
    break;
  }
  expect(await answers(channel_id)).toEqual(["Yes."]);
});

test("yields every kind of item: also what the agent asked for, and answers to its cards", async () => {
  const agent = scout();
  await agent.login("general");
  const kinds = ["reply", "command", "message", "edit", "reaction", "membership"] as const;
  expect((await agent.calls.setInboxKinds({ kinds: [...kinds] })).kinds).toHaveLength(6);
  const ben = await registered(server.url, "ben");
  const { channel_id } = await ben.channels.create({ name: "Club" });
  await ben.channels.setMember(channel_id, "Scout", {});
  const own = await agent.send("general", "Well?");
  const question = { interaction: { kind: "open" as const, who: { roles: ["member" as const] } } };
  const elements = [{ type: "button" as const, action_id: "go", label: "Go" }];
  const card = await agent.send("general", "Press", { ...question, components: [{ type: "row", elements }] });
  await ana.interactions.press(card.message_id, { action_id: "go" });
  await ana.messages.send({ channel_slug: "general", content: "Yes", reply_to_id: own.message_id });
  await say("just talk");
  await ana.messages.react(own.message_id, "like");
  await agent.calls.setCommands({ commands: [{ command: "deploy", description: "Deploy a branch" }] });
  await say("/deploy");
  await say("@Scout bye");
  await new ParleyClient({ url: server.url, apiKey }).interactions.cancel(card.message_id);
  const seen = new Map<string, AgentItem>();
  for await (const item of agent.inbox()) {
    seen.set(item.kind, item);
    if (item.kind === "message") await ana.messages.edit(item.chat_message.id, "just a talk");
    if (seen.size === 9) break;
  }
  const all = ["command", "decision", "edit", "mention", "membership", "message", "press", "reaction", "reply"];
  expect([...seen.keys()].toSorted()).toEqual(all.toSorted());
  const answerable = [...seen.values()].filter(isMessageItem).map(({ kind }) => kind);
  expect(answerable.toSorted()).toEqual(["command", "edit", "mention", "message", "reply"]);
  expect(seen.get("reaction")).toMatchObject({ reaction: { username: "ana", reaction: "like", added: true } });
  expect(seen.get("press")).toMatchObject({ interaction: { result: { username: "ana" } }, chat_message: null });
  expect(seen.get("membership")).toMatchObject({ notice: { type: "added" }, chat_message: null });
});

describe("AgentClient.run", () => {
  /** Runs until `isDone`, which is asked after each item that was handled. */
  async function runUntil(isDone: () => boolean, options: Omit<RunOptions, "signal">, url = server.url) {
    const stop = new AbortController();
    const agent = scout(url);
    await agent.run({
      ...options,
      signal: stop.signal,
      async onItem(item, context) {
        await options.onItem(item, context);
        if (isDone()) stop.abort();
      },
      ...(options.onError === undefined
        ? {}
        : {
            async onError(error: unknown, item: AgentItem) {
              const verdict = await options.onError?.(error, item);
              if (isDone()) stop.abort();
              return verdict;
            },
          }),
    });
  }

  test("handles the items of a channel in order, and several channels at once within the limit", async () => {
    const channels = ["general"];
    for (const name of ["Side", "Tea", "Far"]) channels.push((await ana.channels.create({ name })).channel_slug);
    for (const text of ["1", "2", "3"]) for (const slug of channels) await say(`@Scout ${text}`, slug);
    const handled = new Map<string, string[]>();
    let busy = 0;
    let most = 0;
    let count = 0;
    await runUntil(() => count === 12, {
      concurrency: 2,
      async onItem(item) {
        busy += 1;
        most = Math.max(most, busy);
        await ana.site();
        const slug = item.channel_slug ?? "";
        handled.set(slug, [...(handled.get(slug) ?? []), textOf(item)]);
        busy -= 1;
        count += 1;
      },
    });
    for (const slug of channels) expect(handled.get(slug)).toEqual(["1", "2", "3"]);
    expect(most).toBe(2);
    expect(await pending()).toBe(0);
  });

  test("a temporary failure delays only its own channel, and the item is answered once", async () => {
    const { channel_slug: side } = await ana.channels.create({ name: "Side" });
    for (const text of ["first", "second"]) await say(`@Scout ${text}`);
    await say("@Scout aside", side);
    const order: string[] = [];
    let failures = 0;
    await runUntil(() => order.length === 3, {
      concurrency: 1,
      async onItem(item) {
        if (!isMessageItem(item)) return;
        await scout().reply(item, `Heard ${textOf(item)}.`);
        if (textOf(item) === "first" && failures < 3) {
          failures += 1;
          throw temporary();
        }
        order.push(textOf(item));
      },
    });
    expect(failures).toBe(3);
    expect(order.indexOf("first")).toBeLessThan(order.indexOf("second"));
    expect(order[0]).toBe("aside");
    expect(await answers()).toEqual(["Heard first.", "Heard second."]);
  });

  test("what a retry cannot help goes to onError, which decides whether the item is done", async () => {
    for (const text of ["drop", "keep", "fine"]) await say(`@Scout ${text}`);
    const failed: string[] = [];
    let isDone = false;
    await runUntil(() => isDone, {
      onItem(item) {
        if (textOf(item) !== "fine") throw new Error(textOf(item));
        isDone = true;
      },
      onError(error, item) {
        failed.push(`${String(error)} ${item.kind}`);
        return textOf(item) === "drop" ? "acknowledge" : "keep";
      },
    });
    expect(failed).toEqual(["Error: drop mention", "Error: keep mention"]);
    const { items } = await scout().calls.inbox();
    expect(items.map((item) => item.chat_message?.content)).toEqual(["@Scout keep"]);
  });

  test("without onError, an error that a retry cannot help ends the run, and its item stays", async () => {
    await say("@Scout one");
    const running = scout().run({ onItem: () => scout().send("nowhere", "Hello.") });
    await expect(running).rejects.toMatchObject({ code: "channel_not_found", retryable: false });
    expect(await pending()).toBe(1);
  });

  test("the loop guard is thrown at once, whatever time it names", async () => {
    await say("@Scout one");
    const guard = new ParleyError("loop_guard_tripped", "Wait.", { status: 429, retryable: false, retryAfter: 599 });
    await expect(scout().run({ onItem: () => Promise.reject(guard) })).rejects.toBe(guard);
  });

  test("a revoked key ends a run that waits", async () => {
    const running = scout().run({ onItem: () => {} });
    running.catch(() => {});
    await revokeKey(server.ctx, keyId);
    await expect(running).rejects.toMatchObject({ code: "key_revoked" });
  });

  test("an abort lets running handlers end and acknowledges them, and starts no other", async () => {
    for (const text of ["one", "two"]) await say(`@Scout ${text}`);
    const stop = new AbortController();
    const started: string[] = [];
    let aborted = false;
    await scout().run({
      signal: stop.signal,
      async onItem(item, { signal }) {
        started.push(textOf(item));
        stop.abort();
        aborted = signal.aborted;
        await ana.site();
      },
    });
    expect([started, aborted]).toEqual([["one"], true]);
    expect(await pending()).toBe(1);
    await scout().run({ signal: AbortSignal.abort(), onItem: () => expect.unreachable() });
  });

  test("over connections that break in the middle of answers, each item is answered once", async () => {
    await using proxy = await NastyProxy.start(server.url);
    for (let n = 1; n <= 40; n++) await say(`@Scout ${n}`);
    const chance = chances(7);
    proxy.budget = () => (proxy.cuts < 15 ? Math.floor(200 + 12_000 * chance()) : null);
    const agent = scout(proxy.url);
    const stop = new AbortController();
    const running = agent.run({
      signal: stop.signal,
      onItem: async (item) => {
        if (isMessageItem(item)) await agent.reply(item, `Answer to ${textOf(item)}`);
      },
    });
    await eventually("all are acknowledged", async () => (await pending()) === 0, 30_000);
    stop.abort();
    await running;
    expect(await answers()).toEqual(Array.from({ length: 40 }, (_, n) => `Answer to ${n + 1}`));
    expect(proxy.cuts).toBeGreaterThan(2);
  });
});
