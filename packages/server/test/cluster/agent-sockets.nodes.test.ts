import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expand } from "@parley/protocol/compact";
import { revokeKey } from "../../src/agents/keys/keys.ts";
import { type Nodes, startNodes } from "../support/cluster/start-nodes.ts";
import { newChannel } from "../support/new-channel.ts";
import { LiveSocket } from "../support/servers/live-socket.ts";
import { code } from "../support/servers/realtime.ts";
import { type Client, eventually, type TestServer } from "../support/servers/test-server.ts";

/** Agents whose socket is on another node than what happens to them. */
describe("an agent's socket on one node of two", () => {
  let cluster: Nodes;
  let here: TestServer;
  let there: TestServer;
  let ann: Client;
  let count = 0;

  beforeAll(async () => {
    cluster = await startNodes(2, { bus: "redis", config: { rateLimits: "off" } });
    [here, there] = cluster.nodes as [TestServer, TestServer];
    ann = await there.user("ann");
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  async function listening() {
    const name = `Helper ${++count}`;
    const channel = await newChannel(ann);
    const agent = await there.agent(name);
    const socket = await LiveSocket.open(here.url, agent.credential);
    expect((await socket.ask("channel:join", { channel_id: channel.id })).event).toBe("ack");
    return { ...channel, name, agent, socket, [Symbol.asyncDispose]: () => socket[Symbol.asyncDispose]() };
  }

  test("is in the online list of the other node, and gets its messages and mentions", async () => {
    await using agent = await listening();
    await eventually("the agent is listed", async () => {
      const { body } = await ann.get(`/api/channels/${agent.id}/online`);
      return body.users.some(
        ({ kind, name }: { kind: string; name: string }) => kind === "agent" && name === agent.name,
      );
    });
    const elsewhere = await newChannel(ann);
    await ann.post("/api/messages", { channel_id: agent.id, content: "hello" });
    await ann.post("/api/messages", { channel_id: elsewhere.id, content: `@${agent.name} come` });
    expect((await agent.socket.next("message:new")).data.chat_message.content).toBe("hello");
    expect((await agent.socket.next("mention:new")).data.channel_id).toBe(elsewhere.id);
    const sent = await agent.socket.ask("message:send", { channel_id: agent.id, content: "hi" });
    expect(sent.data.chat_message.agent_name).toBe(agent.name);
  });

  test("is closed when the key is revoked through the other node's database connection", async () => {
    await using agent = await listening();
    await revokeKey(there.ctx, agent.agent.apiKey);
    expect(await agent.socket.whenClosed()).toEqual({ code: 4403, reason: "key_revoked" });
  });

  test("loses a channel that bans the agent on the other node", async () => {
    await using agent = await listening();
    expect((await ann.post(`/api/channels/${agent.id}/bans`, { agent_name: agent.name })).status).toBe(201);
    await ann.post("/api/messages", { channel_id: agent.id, content: "unheard" });
    expect((await agent.socket.next("access:ended")).data).toEqual({ channel_id: agent.id, reason: "banned" });
    await agent.socket.settle();
    expect(agent.socket.all("message:new")).toEqual([]);
  });

  test("gets compact frames if it asks for them, of messages that the other node has sent in full", async () => {
    const { id, slug } = await newChannel(ann);
    await using compact = await LiveSocket.open(here.url, {}, "?frames=compact");
    await using full = await LiveSocket.open(here.url);
    for (const socket of [compact, full]) await socket.ask("channel:join", { channel_id: id });
    await ann.post("/api/messages", { channel_id: id, content: "hello" });
    const [{ event, data }, wanted] = [await compact.next("message:new"), await full.next("message:new")];
    expect(data.chat_message).not.toHaveProperty("reactions");
    expect({ event, data: expand(event, data, new Map([[id, slug]])) }).toEqual(wanted);
  });

  test("gets the messages that the other node has stored together in few compact frames, each once and in order", async () => {
    const { id, slug } = await newChannel(ann);
    await using compact = await LiveSocket.open(here.url, {}, "?frames=compact");
    await using full = await LiveSocket.open(here.url);
    const sockets = [compact, full];
    for (const socket of sockets) await socket.ask("channel:join", { channel_id: id });
    const before = compact.received;
    const texts = Array.from({ length: 40 }, (_, i) => `message ${i}`);
    await Promise.all(texts.map((content) => ann.post("/api/messages", { channel_id: id, content })));
    for (const socket of sockets) {
      await eventually("all messages", () => socket.all("message:new").length === texts.length);
    }
    const slugs = new Map([[id, slug]]);
    const read = compact.all("message:new").map(({ event, data }) => ({ event, data: expand(event, data, slugs) }));
    expect(read).toEqual(full.all("message:new"));
    expect(compact.seqs).toEqual(texts.map((_, i) => i + 1));
    expect(compact.received - before).toBeLessThan(texts.length);
  });

  test("counts among the agent's ten sockets on all nodes", async () => {
    const agent = await here.agent(`Helper ${++count}`);
    await using stack = new AsyncDisposableStack();
    for (let n = 0; n < 10; n++) {
      const { url } = n % 2 === 0 ? here : there;
      stack.use(await LiveSocket.open(url, agent.credential));
    }
    for (const { url } of [here, there]) {
      const guest = stack.use(await LiveSocket.open(url));
      expect(code(await guest.ask("auth:agent", { api_key: agent.apiKey }))).toBe("error too_many_sockets");
    }
  });
});
