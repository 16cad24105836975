import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { revokeKey } from "../../src/agents/keys/keys.ts";
import { feeds } from "../../src/event-log/feed/feed.ts";
import { type Nodes, startNodes } from "../support/cluster/start-nodes.ts";
import { newChannel } from "../support/new-channel.ts";
import { currentClient, type McpClient } from "../support/servers/mcp-clients.ts";
import { type Client, eventually, type TestServer } from "../support/servers/test-server.ts";

/** An agent whose requests go to any node. */
describe("MCP on two nodes", () => {
  let cluster: Nodes;
  let nodes: [TestServer, TestServer];
  let ann: Client;

  beforeAll(async () => {
    cluster = await startNodes(2, { bus: "redis", config: { rateLimits: "off" } });
    nodes = cluster.nodes as [TestServer, TestServer];
    ann = await nodes[0].user("ann");
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  test("needs no session: each call of one conversation may reach another node", async () => {
    const [here, there] = nodes;
    const agent = await here.agent("Scout");
    const { slug } = await newChannel(ann);
    await using one = await currentClient(here.url, agent.apiKey, "auto");
    await using two = await currentClient(there.url, agent.apiKey, "legacy");
    await one.call("join_channel", { channel: slug });
    const { seq } = (await two.call("send_message", { channel: slug, message: "Hello" })).body;
    const read = await one.call("read_channel", { channel: slug, after_seq: seq - 1 });
    expect(read.body.messages[0].content).toBe("Hello");
    expect((await two.call("whoami")).body.channels).toMatchObject([{ channel_slug: slug, online: true }]);
  });

  test("waits on one node for what is written on the other", async () => {
    const [here, there] = nodes;
    const agent = await here.agent("Waiter");
    const { slug } = await newChannel(ann);
    await using mcp = await currentClient(there.url, agent.apiKey, "auto");
    const waiting = mcp.call("check_inbox", { wait: 25 });
    await ann.post("/api/messages", { channel_slug: slug, content: "@Waiter the menu" });
    const [item] = (await waiting).body.items;
    expect(item.chat_message.content).toBe("@Waiter the menu");
    await using other = await currentClient(here.url, agent.apiKey, "auto");
    expect((await other.call("ack", { item_ids: [item.item_id] })).body.acknowledged).toBe(1);
    expect((await mcp.call("check_inbox")).body.items).toEqual([]);
  });

  test("tells a subscriber of the other node's messages, and ends with a key revoked there", async () => {
    const [here, there] = nodes;
    const agent = await here.agent("Listener");
    const { slug, id } = await newChannel(ann);
    await using mcp: McpClient = await currentClient(there.url, agent.apiKey, "auto");
    if (!("listen" in mcp.raw)) throw new Error("not the current client");
    let told = 0;
    mcp.raw.setNotificationHandler("notifications/resources/updated", () => void told++);
    const { closed } = await mcp.raw.listen({ resourceSubscriptions: [`parley://channel/${slug}`] });
    expect(feeds(there.ctx).peek(id)?.isReady).toBe(true);
    await ann.post("/api/messages", { channel_slug: slug, content: "Anybody here?" });
    await eventually("the subscriber is told", () => told > 0);
    await revokeKey(here.ctx, agent.keyId);
    expect(await closed).toBe("graceful");
  });
});
