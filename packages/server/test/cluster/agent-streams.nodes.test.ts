import { describe, expect, test } from "bun:test";
import { transact } from "../../src/db/transact.ts";
import { insertItems } from "../../src/messages/inbox/inbox-rows.ts";
import { addNotice } from "../../src/messages/inbox/notices.ts";
import { publishEvent } from "../../src/realtime/publish.ts";
import { agentTopic } from "../../src/realtime/topics.ts";
import { FaultyBus } from "../support/cluster/faulty-bus.ts";
import { startNodes } from "../support/cluster/start-nodes.ts";
import { EventReader } from "../support/servers/event-reader.ts";
import { eventually, type TestServer } from "../support/servers/test-server.ts";

/** A user who writes on one node, and an agent that listens on the other one, while the bus may lose everything. */
async function onTwoNodes() {
  const stack = new AsyncDisposableStack();
  const bus = new FaultyBus(1);
  bus.mode = "good";
  const { nodes } = stack.use(await startNodes(2, { bus, config: { rateLimits: "off" } }));
  const [one, other] = nodes as [TestServer, TestServer];
  const ann = await one.user("ann");
  const agent = await other.agent("Helper");
  const login = await agent.post("/api/agenthub/login", { channel_slug: "general", agent_name: "Helper" });
  expect(login.status).toBe(200);
  const elsewhere = await ann.post("/api/channels", { name: "Elsewhere", channel_slug: "elsewhere" });
  expect(elsewhere.status).toBe(201);
  const say = async (content: string, channel_slug = "general") => {
    const { status } = await ann.post("/api/messages", { channel_slug, content });
    expect(status).toBe(201);
  };
  const open = async (lastEventId?: string, node = other) => {
    const reader = stack.use(await EventReader.open(node.url, agent.credential, lastEventId));
    await eventually("the stream has told its position", () => reader.lastEventId !== null);
    return reader;
  };
  const doubt = (isDoubtful: boolean) => {
    bus.mode = isDoubtful ? "deaf" : "good";
    bus.isDoubtful = isDoubtful;
  };
  return { agent, one, other, bus, say, open, doubt, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

const mentioned = ({ events }: EventReader): string[] =>
  events.filter(({ event }) => event === "mention:new").map(({ data }) => data.chat_message.content);
const said = ({ events }: EventReader): string[] =>
  events.filter(({ event }) => event === "message:new").map(({ data }) => data.chat_message.content);
const idsOf = ({ events }: EventReader, event: string): number[] =>
  events.filter((each) => each.event === event).map(({ data }) => data.item_id ?? data.item.item_id);
const timeOf = (id: string | null): number => Number(/@(\d+)\//.exec(id ?? "")?.[1]);

describe("an agent on a node whose bus is in doubt", () => {
  test("is sent every mention and message once, and its position claims nothing that may be lost", async () => {
    await using world = await onTwoNodes();
    const { say, open, doubt } = world;
    const reader = await open();
    await say("@Helper before");
    await eventually("the mention before", () => mentioned(reader).length === 1);
    const began = Date.now();
    doubt(true);
    await say("@Helper one");
    await say("@Helper two", "elsewhere");
    await eventually("the mentions in doubt", () => mentioned(reader).length === 3);
    await eventually("the message in doubt", () => said(reader).includes("@Helper one"));
    expect(timeOf(reader.lastEventId)).toBeLessThanOrEqual(began);
    await say("@Helper three", "elsewhere");
    doubt(false);
    await eventually("the mention that was lost last", () => mentioned(reader).includes("@Helper three"));
    await eventually("a position of the good time", () => timeOf(reader.lastEventId) > began);
    await say("@Helper after");
    await eventually("the mention after", () => mentioned(reader).includes("@Helper after"));
    expect(mentioned(reader)).toEqual(["before", "one", "two", "three", "after"].map((word) => `@Helper ${word}`));
    expect(said(reader)).toEqual(["before", "one", "after"].map((word) => `@Helper ${word}`));
    const { body } = await world.agent.get("/api/agenthub/inbox");
    const ids = body.items.map(({ item_id }: { item_id: number }) => item_id);
    expect([idsOf(reader, "mention:new"), idsOf(reader, "inbox:new")]).toEqual([ids, ids]);
  });

  test("is sent a mention after a reconnect, although it has the message and the stream broke before the mention", async () => {
    await using world = await onTwoNodes();
    const { say, open, doubt } = world;
    doubt(true);
    const first = await open();
    await say("@Helper come");
    await first.next(({ event }) => event === "message:new");
    // As if the stream had broken before the mention was read.
    const position = first.events.find(({ event }) => event === "message:new")?.id ?? "";
    const second = await open(position);
    await eventually("the mention", () => mentioned(second).includes("@Helper come"));
  });

  test.each([
    ["the whole id", (id: string) => id],
    ["the short form of the id", (id: string) => id.split(/[,@]/)[0] ?? ""],
  ])(
    "is sent a mention that the bus lost unnoticed when it resumes by %s, on either node",
    async (_, shown) => {
      await using world = await onTwoNodes();
      const { bus, one, other, say, open } = world;
      for (const node of [one, other]) {
        bus.mode = "good";
        const first = await open();
        bus.mode = "deaf";
        const content = `@Helper on ${node === one ? "the other" : "the same"} node`;
        await say(content);
        // The channel's feed finds the message in the database. Nothing has told the stream of the mention.
        const { id } = await first.next(({ data }) => data.chat_message?.content === content);
        expect(mentioned(first)).not.toContain(content);
        await first[Symbol.asyncDispose]();
        const second = await open(shown(id ?? ""), node);
        await eventually("the mention", () => mentioned(second).includes(content));
      }
    },
    30_000,
  );

  test("is sent the item of a mention that a node of the release before published", async () => {
    await using world = await onTwoNodes();
    const { one, agent, open, say } = world;
    const reader = await open();
    await say("from a node of the release before");
    const { body } = await agent.get("/api/agenthub/messages?channel_slug=general&limit=1");
    const [message] = body.messages;
    const item = { agent_id: agent.agentId, agent_name: "Helper", channel_id: 1, message_id: message.id };
    const [id] = await transact(one.ctx, ({ db }) =>
      insertItems(db, [{ ...item, created_at: Date.parse(message.created_at) }]),
    );
    const data = { channel_id: 1, chat_message: message };
    publishEvent(one.ctx, agentTopic(agent.agentId), "mention:new", data);
    await reader.next(({ event }) => event === "inbox:new");
    expect(idsOf(reader, "inbox:new")).toEqual([id ?? 0]);
    expect(reader.events.filter(({ event }) => event === "mention:new").map((each) => each.data.item_id)).toEqual([
      undefined,
      id,
    ]);
  });

  test("is sent a notice of another node once", async () => {
    await using world = await onTwoNodes();
    const { one, agent, open, doubt } = world;
    const reader = await open();
    for (const isDoubtful of [false, true]) {
      doubt(isDoubtful);
      const place = { id: 1, slug: isDoubtful ? "lost" : "heard" };
      const notice = { type: place.slug, text: "Something happened." };
      await transact(one.ctx, async (ctx) => addNotice(ctx, { agentId: agent.agentId, channel: place, notice }));
      await eventually(`the notice ${place.slug}`, () =>
        reader.events.some(({ data }) => data.item?.notice?.type === place.slug),
      );
    }
    doubt(false);
    await world.say("@Helper after");
    await eventually("the mention after", () => mentioned(reader).includes("@Helper after"));
    const kinds = reader.events.flatMap(({ event, data }) => (event === "inbox:new" ? [data.item.kind] : []));
    expect(kinds).toEqual(["notice", "notice", "mention"]);
  });

  test("is answered within seconds when it waits", async () => {
    await using world = await onTwoNodes();
    const { agent, say, doubt } = world;
    doubt(true);
    const mentions = agent.get("/api/agenthub/mentions?mark_read=false&wait=30");
    const items = agent.get("/api/agenthub/inbox?wait=30");
    const { body } = await agent.get("/api/agenthub/messages?channel_slug=general&limit=1");
    const messages = agent.get(`/api/agenthub/messages?channel_slug=general&after_seq=${body.last_seq}&wait=30`);
    const started = performance.now();
    await say("@Helper hello");
    expect((await messages).body.messages).toMatchObject([{ content: "@Helper hello" }]);
    expect((await mentions).body.mentions).toMatchObject([{ content: "@Helper hello" }]);
    expect((await items).body.items).toMatchObject([{ chat_message: { content: "@Helper hello" } }]);
    expect(performance.now() - started).toBeLessThan(15_000);
  });
});
