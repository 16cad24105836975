import { describe, expect, test } from "bun:test";
import { agentTopic } from "../../src/realtime/topics.ts";
import { eachDatabase } from "../support/databases.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { say, sayId } from "../support/say.ts";
import { eventually, startTestServer, type TestServer } from "../support/servers/test-server.ts";

/** Protocol §5 over real HTTP: the inbox of an agent, and who the agent is. */
eachDatabase(async (_, open) => {
  const server = await forAllTests(startTestServer({ agentLoopLimit: 0 }, { database: await open() }));
  const ann = await server.user("ann");

  type Agent = Awaited<ReturnType<TestServer["agent"]>>;

  const inbox = (agent: Agent, query = "") => agent.get(`/api/agenthub/inbox${query}`);
  const ids = ({ body }: { body: { items: { item_id: number }[] } }) => body.items.map(({ item_id }) => item_id);
  const waits = (agentId: number) =>
    eventually("the agent waits", () => server.ctx.hub.holders(agentTopic(agentId)) > 0);

  describe("GET /api/agenthub/inbox", () => {
    test("returns mentions as items with their messages, and removes nothing", async () => {
      const agent = await server.agent("Reader");
      const messageId = await sayId(ann, "general", "@Reader hello");
      const answer = await inbox(agent);
      expect(answer.body).toMatchObject({ count: 1, remaining: 0 });
      expect(answer.body.items[0]).toMatchObject({
        kind: "mention",
        channel_slug: "general",
        agent_name: "Reader",
        notice: null,
        chat_message: { id: messageId, content: "@Reader hello", username: "ann" },
      });
      expect(answer.body.items[0].rendered).toContain("@Reader hello");
      expect(answer.body.last_item_id).toBe(answer.body.items[0].item_id);
      expect(ids(await inbox(agent))).toEqual(ids(answer));
      expect((await inbox(agent, "?format=context")).body.rendered).toContain("@Reader hello");
    });

    test("loses a mention that is edited out, and has one that is edited in again once", async () => {
      const agent = await server.agent("Undone");
      const other = await server.agent("Stays");
      const id = await sayId(ann, "general", "@Undone and @Stays, delete the backups");
      const edit = (content: string) => ann.put(`/api/messages/${id}`, { content });
      const [first] = ids(await inbox(agent));
      const kept = ids(await inbox(other));
      expect((await edit("never mind, @stays")).status).toBe(200);
      expect(ids(await inbox(agent))).toEqual([]);
      expect((await agent.get("/api/agenthub/mentions?include_removed=true")).body.mentions).toEqual([]);
      await edit("@Undone and @Stays, delete the old backups");
      const [again, ...more] = ids(await inbox(agent));
      expect(more).toEqual([]);
      expect(again).toBeGreaterThan(first ?? 0);
      expect(ids(await inbox(other))).toEqual(kept);
      await agent.post("/api/agenthub/inbox/ack", { item_ids: [again] });
      await edit("never mind, @Stays");
      await edit("@Undone, do it");
      expect(ids(await inbox(agent))).toHaveLength(1);
      expect((await agent.get("/api/agenthub/mentions?include_removed=true")).body.mentions).toHaveLength(1);
      expect(ids(await inbox(other))).toEqual([]);
    });

    test("pages forwards by after_item_id and counts what follows", async () => {
      const agent = await server.agent("Pager");
      for (const part of ["one", "two", "three"]) await say(ann, "general", `@Pager ${part}`);
      const first = await inbox(agent, "?limit=2");
      expect(first.body).toMatchObject({ count: 2, remaining: 1 });
      const second = await inbox(agent, `?limit=2&after_item_id=${first.body.last_item_id}`);
      expect(second.body).toMatchObject({ count: 1, remaining: 0 });
      const end = await inbox(agent, `?after_item_id=${second.body.last_item_id}`);
      expect(end.body).toMatchObject({ items: [], remaining: 0, last_item_id: second.body.last_item_id });
      expect(new Set([...ids(first), ...ids(second)]).size).toBe(3);
    });

    test("waits for a newer item though an older one is pending", async () => {
      const agent = await server.agent("Waiter");
      await say(ann, "general", "@Waiter old");
      const { last_item_id } = (await inbox(agent)).body;
      const waiting = inbox(agent, `?after_item_id=${last_item_id}&wait=30`);
      await waits(agent.agentId);
      await say(ann, "general", "@Waiter new");
      expect((await waiting).body.items).toMatchObject([{ chat_message: { content: "@Waiter new" } }]);
    });

    test("filters by kinds, channel and name", async () => {
      const agent = await server.agent("Filter");
      await say(ann, "general", "@Filter here");
      expect((await inbox(agent, "?kinds=direct,notice")).body.count).toBe(0);
      expect((await inbox(agent, "?kinds=notice,mention")).body.count).toBe(1);
      expect((await inbox(agent, "?agent_name=filter")).body.count).toBe(1);
      expect((await inbox(agent, "?agent_name=Reader")).body.count).toBe(0);
      expect((await inbox(agent, "?channel_slug=general")).body.count).toBe(1);
    });

    test.each([
      ["?kinds=card", 400, "invalid_request"],
      ["?kinds=", 400, "invalid_request"],
      ["?after_item_id=-1", 400, "invalid_request"],
      ["?format=plain", 400, "invalid_request"],
      ["?channel_slug=nowhere", 404, "channel_not_found"],
      ["?channel_slug=", 400, "channel_slug_required"],
      ["?agent_name=..", 400, "invalid_agent_name"],
      ["?limit=0", 400, "invalid_limit"],
    ])("%p is %d %s", async (query, status, code) => {
      const agent = await server.agent(`Wrong ${code.slice(0, 12)} ${query.length}`);
      expect(await inbox(agent, query)).toMatchObject({ status, body: { code } });
    });
  });

  describe("POST /api/agenthub/inbox/ack", () => {
    test("removes items from the inbox and the mentions, and the other way round", async () => {
      const agent = await server.agent("Both");
      for (const part of ["one", "two", "three"]) await say(ann, "general", `@Both ${part}`);
      const [one, two, three] = ids(await inbox(agent));
      const acked = await agent.post("/api/agenthub/inbox/ack", { item_ids: [one, one, 999_999] });
      expect(acked).toMatchObject({ status: 200, body: { acknowledged: 1, remaining: 2 } });
      const left = await agent.get("/api/agenthub/mentions?mark_read=FALSE");
      expect(left.body.mentions.map(({ mention_id }: { mention_id: number }) => mention_id)).toEqual([two, three]);
      await agent.post("/api/agenthub/mentions/ack", { mention_ids: [two] });
      expect(ids(await inbox(agent))).toEqual([three ?? 0]);
      await agent.get("/api/agenthub/mentions");
      expect(ids(await inbox(agent))).toEqual([]);
    });

    test("removes everything up to an id", async () => {
      const agent = await server.agent("Upto");
      for (const part of ["one", "two", "three"]) await say(ann, "general", `@Upto ${part}`);
      const [, two, three] = ids(await inbox(agent));
      const acked = await agent.post("/api/agenthub/inbox/ack", { up_to_item_id: two });
      expect(acked.body).toMatchObject({ acknowledged: 2, remaining: 1 });
      expect(ids(await inbox(agent))).toEqual([three ?? 0]);
    });

    test("removes nothing of another agent", async () => {
      const [agent, other] = [await server.agent("Mine"), await server.agent("Theirs")];
      await say(ann, "general", "@Mine hello");
      const own = ids(await inbox(agent));
      expect((await other.post("/api/agenthub/inbox/ack", { item_ids: own })).body.acknowledged).toBe(0);
      expect(ids(await inbox(agent))).toEqual(own);
    });

    test.each([[{}], [{ item_ids: [1], up_to_item_id: 1 }], [{ item_ids: ["x"] }]])("refuses %j", async (body) => {
      const agent = await server.agent();
      expect(await agent.post("/api/agenthub/inbox/ack", body)).toMatchObject({
        status: 400,
        body: { code: "invalid_request" },
      });
    });
  });

  describe("GET /api/agenthub/me", () => {
    test("describes the agent, its key, its owner and its channels", async () => {
      const agent = await server.agent("Mirror");
      await agent.post("/api/agenthub/login", { channel_slug: "general", agent_name: "Mirror" });
      await say(ann, "general", "@Mirror hello");
      const { body } = await agent.get("/api/agenthub/me");
      expect(body).toMatchObject({
        agent_id: agent.agentId,
        agent_names: ["Mirror"],
        default_agent_name: "Mirror",
        owner: null,
        paused: false,
        key: { expires_at: null },
        channels: [{ channel_slug: "general", agent_name: "Mirror", online: true }],
        budgets: null,
        pending: 1,
      });
      expect(body.channels[0].last_seq).toBeGreaterThan(0);
    });

    test("lists a channel that the agent was added to, though it is not online there", async () => {
      const agent = await server.agent("Added");
      const made = await ann.post("/api/channels", { name: "closed room", is_private: true });
      await ann.put(`/api/channels/${made.body.channel_id}/members/Added`, {});
      const { body } = await agent.get("/api/agenthub/me");
      expect(body.channels).toMatchObject([{ channel_slug: made.body.channel_slug, agent_name: null, online: false }]);
    });

    test("has no default name for an agent with several", async () => {
      const agent = await server.agent("First name");
      await agent.post("/api/agenthub/send", { channel_slug: "general", message: "hi", agent_name: "Second name" });
      const { body } = await agent.get("/api/agenthub/me");
      expect(body).toMatchObject({ agent_names: ["First name", "Second name"], default_agent_name: null });
    });
  });
});
