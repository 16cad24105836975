import { describe, expect, test } from "bun:test";
import type { InboxItem } from "@parley/protocol/inbox";
import { transact } from "../../src/db/transact.ts";
import { insertItems } from "../../src/messages/inbox/inbox-rows.ts";
import { agentTopic } from "../../src/realtime/topics.ts";
import { eachDatabase } from "../support/databases.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { say, sayId } from "../support/say.ts";
import { EventReader, type ReadEvent } from "../support/servers/event-reader.ts";
import { TestSocket } from "../support/servers/socket.ts";
import { eventually, startTestServer, type TestServer } from "../support/servers/test-server.ts";

/** Protocol §5 and §8 over real HTTP: how an agent hears of what is new in its inbox. */
eachDatabase(async (_, open) => {
  const server = await forAllTests(startTestServer({ agentLoopLimit: 0 }, { database: await open() }));
  const ann = await server.user("ann");

  type Agent = Awaited<ReturnType<TestServer["agent"]>>;

  const itemsOf = async (agent: Agent): Promise<InboxItem[]> => (await agent.get("/api/agenthub/inbox")).body.items;
  const follow = async (agent: Agent, lastEventId?: string): Promise<EventReader> => {
    const reader = await EventReader.open(server.url, agent.credential, lastEventId);
    await eventually("the stream has told its position", () => reader.lastEventId !== null);
    return reader;
  };
  const isOfInbox = ({ event }: { event: string }): boolean => event === "mention:new" || event === "inbox:new";
  /** Returns an item as events carry it: they are the same for every reader, and have no fresh fence. */
  const asInEvents = ({ rendered, chat_message, ...item }: InboxItem) => {
    const { authority, ...message } = chat_message ?? {};
    return { ...item, chat_message: message };
  };
  const shortly = (events: readonly Pick<ReadEvent, "event" | "data">[]) =>
    events.filter(isOfInbox).map(({ event, data }) => {
      return event === "mention:new"
        ? `mention ${data.mention_id} ${data.agent_name}`
        : `item ${data.item.item_id} ${data.item.agent_name}`;
    });

  describe("a mention", () => {
    test("is announced with its ids and as an item, the same as in the inbox", async () => {
      const agent = await server.agent("Stream");
      await using reader = await follow(agent);
      await say(ann, "general", "@Stream hello");
      const { data } = await reader.next(({ event }) => event === "inbox:new");
      const [mention] = reader.events.filter(({ event }) => event === "mention:new");
      const [item] = await itemsOf(agent);
      if (item === undefined) throw new Error("The inbox is empty.");
      expect(data.item).toEqual(asInEvents(item));
      expect(mention?.data).toMatchObject({ mention_id: item.item_id, item_id: item.item_id, agent_name: "Stream" });
      expect(mention?.data.chat_message).toEqual(data.item.chat_message);
    });

    test("of two names of an agent is announced once for each", async () => {
      const agent = await server.agent("Double");
      await agent.post("/api/agenthub/send", { channel_slug: "general", message: "hi", agent_name: "Twofold" });
      await using reader = await follow(agent);
      await say(ann, "general", "@Double and @Twofold");
      await eventually("all four events", () => shortly(reader.events).length === 4);
      const ids = (await itemsOf(agent)).map(({ item_id }) => item_id);
      expect(shortly(reader.events)).toEqual([
        `mention ${ids[0]} Double`,
        `item ${ids[0]} Double`,
        `mention ${ids[1]} Twofold`,
        `item ${ids[1]} Twofold`,
      ]);
    });

    test("that an edit adds is announced alike, live and on resume", async () => {
      const agent = await server.agent("Edited");
      const id = await sayId(ann, "general", "nobody yet");
      await using live = await follow(agent);
      const from = live.lastEventId ?? "";
      expect((await ann.send("PUT", `/api/messages/${id}`, { body: { content: "@Edited now" } })).status).toBe(200);
      const heard = await live.next(({ event }) => event === "inbox:new");
      const [item] = await itemsOf(agent);
      if (item === undefined) throw new Error("The inbox is empty.");
      expect(heard.data.item).toEqual(asInEvents(item));
      await using resumed = await follow(agent, from);
      expect((await resumed.next(({ event }) => event === "inbox:new")).data).toEqual(heard.data);
    });

    test("is announced to a user without ids", async () => {
      await using socket = await TestSocket.open(server.url, ann.credential);
      const bob = await server.user(`bob${Date.now() % 1_000}`);
      await bob.post("/api/messages", { channel_slug: "general", content: "@ann hello" });
      const { data } = await socket.next(({ event }) => event === "mention:new");
      expect(Object.keys(data as object)).toEqual(["channel_id", "chat_message"]);
    });

    test("reaches the socket of an agent as both events", async () => {
      const agent = await server.agent("Socket");
      await using socket = await TestSocket.open(server.url, agent.credential);
      await eventually("the socket listens", () => server.ctx.hub.holders(agentTopic(agent.agentId)) > 0);
      await say(ann, "general", "@Socket hello");
      const mention = (await socket.next(({ event }) => event === "mention:new")).data as { item_id: number };
      const { item } = (await socket.next(({ event }) => event === "inbox:new")).data as { item: InboxItem };
      expect(item.item_id).toBe(mention.item_id);
    });
  });

  describe("a resumed stream", () => {
    /** Stores items of one message, as if it mentioned the agent again and again. */
    async function fill(agent: Agent, count: number, text = "before"): Promise<number[]> {
      const message_id = await sayId(ann, "general", text);
      const created_at = server.ctx.clock.now();
      const item = { agent_id: agent.agentId, agent_name: "Full", channel_id: 1, message_id, created_at };
      return transact(server.ctx, ({ db }) =>
        insertItems(
          db,
          Array.from({ length: count }, () => item),
        ),
      );
    }
    const atStart = () => `1:1@${server.ctx.clock.now()}/${server.ctx.epoch}`;

    test("sends 1,000 missed items, though they are more than a slow reader may have pending", async () => {
      const agent = await server.agent();
      const from = atStart();
      const ids = await fill(agent, 1_000, "长".repeat(4_000));
      await using reader = await follow(agent, from);
      const items = () => reader.events.filter(({ event }) => event === "inbox:new");
      await eventually("all items", () => items().length >= 1_000);
      expect(items().map(({ data }) => data.item.item_id)).toEqual(ids);
      expect(reader.events.some(({ event }) => event === "reset")).toBe(false);
    });

    test("sends a reset instead of more than 1,000 items, which the inbox then has", async () => {
      const agent = await server.agent();
      const from = atStart();
      const ids = await fill(agent, 1_100);
      await using reader = await follow(agent, from);
      expect(reader.events.filter(({ event }) => event === "reset").map(({ data }) => data)).toEqual([
        { reason: "mentions" },
      ]);
      expect(reader.events.filter(isOfInbox)).toEqual([]);
      const found: number[] = [];
      for (let after = 0; ; ) {
        const { body } = await agent.get(`/api/agenthub/inbox?limit=200&kinds=mention&after_item_id=${after}`);
        found.push(...body.items.map(({ item_id }: InboxItem) => item_id));
        after = body.last_item_id;
        if (body.remaining === 0) break;
      }
      expect(found).toEqual(ids.slice(-1_000));
      const [notice] = (await agent.get("/api/agenthub/inbox?kinds=notice")).body.items;
      expect(notice.notice).toMatchObject({ type: "items_dropped", details: { dropped: 100 } });
    });
  });

  describe("GET /api/agenthub/mentions", () => {
    test("waits after after_mention_id, though an older mention is pending", async () => {
      const agent = await server.agent("Patient");
      await say(ann, "general", "@Patient old");
      const kept = "/api/agenthub/mentions?mark_read=False";
      const [old] = (await agent.get(kept)).body.mentions;
      const waiting = agent.get(`${kept}&after_mention_id=${old.mention_id}&wait=30`);
      await eventually("the agent waits", () => server.ctx.hub.holders(agentTopic(agent.agentId)) > 0);
      await say(ann, "general", "@Patient new");
      const { body } = await waiting;
      expect(body).toMatchObject({ count: 1, remaining: 0, mentions: [{ content: "@Patient new" }] });
      const first = await agent.get(`${kept}&after_mention_id=0&limit=1`);
      expect(first.body).toMatchObject({ count: 1, remaining: 1 });
      const last = await agent.get(`${kept}&after_mention_id=${body.mentions[0].mention_id}`);
      expect(last.body).toMatchObject({ count: 0, remaining: 0 });
    });

    test("refuses after_mention_id with include_removed", async () => {
      const agent = await server.agent();
      expect(await agent.get("/api/agenthub/mentions?include_removed=true&after_mention_id=1")).toMatchObject({
        status: 400,
        body: { code: "invalid_request", details: [{ path: "after_mention_id" }] },
      });
    });

    test("pages 260 removed mentions newest first", async () => {
      const agent = await server.agent("Lossy");
      const message_id = await sayId(ann, "general", "before");
      const item = { agent_id: agent.agentId, agent_name: "Lossy", channel_id: 1, message_id, created_at: 0 };
      const ids = await transact(server.ctx, ({ db }) =>
        insertItems(
          db,
          Array.from({ length: 260 }, () => item),
        ),
      );
      for (const limit of [200, 60]) await agent.get(`/api/agenthub/mentions?limit=${limit}`);
      const found: number[] = [];
      for (let before = ""; ; ) {
        const { body } = await agent.get(`/api/agenthub/mentions?include_removed=TRUE&mark_read=0&limit=200${before}`);
        found.push(...body.mentions.map(({ mention_id }: { mention_id: number }) => mention_id));
        before = `&before_mention_id=${found.at(-1)}`;
        if (body.remaining === 0) break;
      }
      expect(found).toEqual(ids.toReversed());
    });
  });
});
