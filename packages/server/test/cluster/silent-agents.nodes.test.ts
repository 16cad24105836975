import { expect, test } from "bun:test";
import { usualTiming } from "../../src/timing.ts";
import { datedClock } from "../support/clock.ts";
import { startNodes } from "../support/cluster/start-nodes.ts";
import { EventReader } from "../support/servers/event-reader.ts";
import { LiveSocket } from "../support/servers/live-socket.ts";
import { eventually, type TestServer } from "../support/servers/test-server.ts";

test("an agent whose connection to one node has ended is away on both, and back on both by a connection to the other", async () => {
  const clock = datedClock();
  await using cluster = await startNodes(2, {
    bus: "redis",
    overrides: { clock, timing: { ...usualTiming, jobRate: 5 } },
  });
  const [one, other] = cluster.nodes as [TestServer, TestServer];
  const ann = await one.user("ann");
  const agent = await other.agent("Helper");
  const login = await agent.post("/api/agenthub/login", { channel_slug: "general", agent_name: "Helper" });
  expect(login.status).toBe(200);
  await using listener = await LiveSocket.open(one.url, ann.credential);
  await listener.ask("channel:join", { channel_id: 1 });
  const stream = await EventReader.open(other.url, agent.credential);
  await stream[Symbol.asyncDispose]();
  await eventually("the end is stored", async () => {
    const row = await one.ctx.db.selectFrom("agents").select("held_at").executeTakeFirst();
    return row?.held_at != null;
  });
  clock.ahead += 65_000;
  const onlineAt = async (node: TestServer): Promise<string[]> =>
    (await node.guest.get("/api/channels/1/online")).body.users.map(({ name }: { name: string }) => name);
  for (const node of cluster.nodes)
    await eventually("it is away", async () => !(await onlineAt(node)).includes("Helper"));
  const told = await listener.next("agents:silent");
  expect(told.data.silences).toMatchObject([{ agent_name: "Helper", reason: "away" }]);
  for (const node of cluster.nodes)
    expect((await node.guest.get("/api/channels/1/silences")).body.silences).toMatchObject([{ reason: "away" }]);
  await using _back = await EventReader.open(one.url, agent.credential);
  for (const node of cluster.nodes)
    await eventually("it is back", async () => (await onlineAt(node)).includes("Helper"));
  expect((await other.guest.get("/api/channels/1/silences")).body.silences).toEqual([]);
});
