import { expect, test } from "bun:test";
import { startNodes } from "../support/cluster/start-nodes.ts";
import { type Answered, Client, eventually, type TestServer } from "../support/servers/test-server.ts";

/** An agent that reads its inbox by two nodes, and a person who writes to it. */
async function onTwoNodes() {
  const cluster = await startNodes(2, { bus: "redis", config: { rateLimits: "off" } });
  const [one, other] = cluster.nodes as [TestServer, TestServer];
  const agent = await one.agent("Reader");
  const there = new Client(other.url, agent.credential);
  const read = (node: Client, query: string): Promise<Answered> => node.get(`/api/agenthub/inbox?${query}`);
  return {
    ann: await one.user("ann"),
    agent,
    there,
    read,
    newReader: async (node: Client): Promise<string> => (await read(node, "reader=new")).body.reader,
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
}

test("a program that waits on one node is refused when a newer one reads on another", async () => {
  await using world = await onTwoNodes();
  const { agent, there, read, newReader } = world;
  for (const [older, newer] of [
    [agent, there],
    [there, agent],
  ] as const) {
    const reader = await newReader(older);
    let refused: Answered | undefined;
    void read(older, `reader=${reader}&wait=30`).then((answer) => {
      refused = answer;
    });
    // The call waits at some time from now on, and hears of the next program.
    await eventually("it is refused", async () => {
      expect((await newReader(newer)) > reader).toBe(true);
      return refused;
    });
    expect([refused?.status, refused?.body.code]).toEqual([409, "inbox_taken"]);
  }
});

test("an older program that begins to wait on another node than the newer one is refused, and that one waits on", async () => {
  await using world = await onTwoNodes();
  const { ann, agent, there, read, newReader } = world;
  const [older, newer] = [await newReader(agent), await newReader(there)];
  const waiting = read(there, `reader=${newer}&wait=30`);
  // Until the newer program's call waits, nothing tells the older one of it.
  await eventually("the older one is refused", async () => {
    const { status, body } = await read(agent, `reader=${older}&wait=1`);
    return status === 409 && body.code === "inbox_taken";
  });
  await ann.post("/api/messages", { channel_slug: "general", content: "@Reader hello" });
  const { status, body } = await waiting;
  expect([status, body.count, body.reader]).toEqual([200, 1, newer]);
});
