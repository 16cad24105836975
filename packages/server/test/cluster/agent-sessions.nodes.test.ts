import { expect, test } from "bun:test";
import { usualTiming } from "../../src/timing.ts";
import { datedClock } from "../support/clock.ts";
import { startNodes } from "../support/cluster/start-nodes.ts";
import { temporaryFolder } from "../support/config.ts";
import { ChildServer, freePort } from "../support/servers/child-server.ts";
import { LiveSocket } from "../support/servers/live-socket.ts";
import { type Frame, TestSocket } from "../support/servers/socket.ts";
import { Client, eventually, logIn, type TestServer } from "../support/servers/test-server.ts";

/** A task in the first channel. Returns the message that begins its thread. */
async function task(who: Client, content = "do it"): Promise<number> {
  const { status, body } = await who.post("/api/messages", { channel_slug: "general", content });
  expect(status).toBe(201);
  return body.message_id;
}

const work = (agent: Client, name: string, root: number, more: object = {}) =>
  agent.put("/api/agenthub/sessions", {
    channel_slug: "general",
    thread_root_id: root,
    agent_name: name,
    state: "working",
    ...more,
  });

const sessionsAt = async (who: Client) => (await who.get("/api/channels/1/sessions")).body.sessions;
const stateAt = async (who: Client, root: number): Promise<string> =>
  (await sessionsAt(who)).find((each: { thread_root_id: number }) => each.thread_root_id === root)?.state;

/** Somebody in the first channel who hears of sessions. */
async function follow(url: string, who: Client) {
  const socket = await LiveSocket.open(url, who.credential);
  await socket.ask("channel:join", { channel_id: 1 });
  const heard = new Set<Frame>();
  return {
    /** Waits for the next event that has this state. */
    async hears(state: string) {
      const frame = await socket.find(
        (each) => each.event === "agent:session" && each.data.state === state && !heard.has(each),
      );
      heard.add(frame);
      return frame.data;
    },
    [Symbol.asyncDispose]: () => socket[Symbol.asyncDispose](),
  };
}

test("what an agent does is told on every node, and every node lists the same", async () => {
  await using cluster = await startNodes(3, { bus: "redis", config: { rateLimits: "off" } });
  const [one, two, three] = cluster.nodes as [TestServer, TestServer, TestServer];
  const ann = await one.user("ann");
  const agent = await two.agent("Helper");
  const people = [ann, await logIn(two.url, "ann"), await logIn(three.url, "ann")];
  await using onOne = await follow(one.url, ann);
  await using onThree = await follow(three.url, ann);
  const readers = [onOne, onThree];
  const root = await task(ann);
  const begun = (await work(agent, "Helper", root, { title: "deploy" })).body.session;
  for (const reader of readers) expect(await reader.hears("working")).toEqual(begun);

  const sent = await agent.post("/api/agenthub/send", {
    channel_slug: "general",
    agent_name: "Helper",
    message: "May I?",
    thread_root_id: root,
    components: [{ type: "row", elements: [{ type: "button", action_id: "go", label: "Go" }] }],
    interaction: { kind: "choice", who: { users: ["ann"] } },
  });
  const card = sent.body.message_id;
  for (const reader of readers) expect((await reader.hears("waiting")).interaction_id).toBe(card);
  for (const who of people) expect(await stateAt(who, root)).toBe("waiting");
  const annOnThree = people[2] as Client;
  expect((await annOnThree.post(`/api/interactions/${card}/press`, { action_id: "go" })).status).toBe(200);
  for (const reader of readers) expect((await reader.hears("working")).interaction_id).toBe(null);

  // The agent goes on by another node.
  const elsewhere = new Client(three.url, agent.credential);
  const second = await task(ann);
  expect((await work(elsewhere, "Helper", second, { state: "failed" })).status).toBe(200);
  expect((await work(elsewhere, "Helper", root, { state: "done" })).status).toBe(200);
  for (const reader of readers) await reader.hears("done");
  const lists = await Promise.all(people.map(sessionsAt));
  expect(lists[0].map(({ state }: { state: string }) => state).sort()).toEqual(["done", "failed"]);
  for (const list of lists) expect(list).toEqual(lists[0]);
  const own = await Promise.all(people.map((who) => who.get("/api/agents/sessions")));
  for (const { body } of own) expect(body.sessions).toEqual(lists[0]);
});

test("a session is gone on both nodes after the agent's connection to one ended, and back by a connection to the other", async () => {
  const clock = datedClock();
  await using cluster = await startNodes(2, {
    bus: "redis",
    overrides: { clock, timing: { ...usualTiming, jobRate: 5 } },
  });
  const [one, other] = cluster.nodes as [TestServer, TestServer];
  const ann = await one.user("ann");
  const agent = await other.agent("Helper");
  const root = await task(ann);
  await using reader = await follow(one.url, ann);
  const socket = await TestSocket.open(other.url, agent.credential);
  expect((await work(agent, "Helper", root)).status).toBe(200);
  await reader.hears("working");
  socket.close();
  await eventually("the end is stored", async () => {
    const row = await one.ctx.db.selectFrom("agents").select("held_at").executeTakeFirst();
    return row?.held_at != null;
  });
  clock.ahead += 65_000;
  await reader.hears("gone");
  const people = [ann, await logIn(other.url, "ann")];
  for (const who of people) expect(await stateAt(who, root)).toBe("gone");
  using _back = await TestSocket.open(one.url, agent.credential);
  await reader.hears("working");
  for (const who of people) expect(await stateAt(who, root)).toBe("working");
});

test("a session is gone after the node that the agent was connected to was killed", async () => {
  const clock = datedClock();
  await using cluster = await startNodes(1, {
    bus: "redis",
    overrides: { clock, timing: { ...usualTiming, jobRate: 5 } },
  });
  const [survivor] = cluster.nodes as [TestServer];
  await using killed = new ChildServer(temporaryFolder(), freePort(), {
    DATABASE_URL: cluster.databaseUrl,
    REDIS_URL: cluster.redis?.url ?? "",
    PARLEY_NODE_NAME: "killed",
  });
  await killed.start();
  const ann = await survivor.user("ann");
  const agent = new Client(killed.url, (await survivor.agent("Helper")).credential);
  const root = await task(ann);
  using _lost = await TestSocket.open(killed.url, agent.credential);
  expect((await work(agent, "Helper", root)).status).toBe(200);
  await using reader = await follow(survivor.url, ann);
  await eventually("the connection is stored", async () => {
    const row = await survivor.ctx.db.selectFrom("agents").select("held_at").executeTakeFirst();
    return row?.held_at != null;
  });
  await killed.end("SIGKILL");
  expect(await stateAt(ann, root)).toBe("working");
  clock.ahead += 65_000;
  await reader.hears("gone");
  expect(await stateAt(ann, root)).toBe("gone");
  using _back = await TestSocket.open(survivor.url, agent.credential);
  await reader.hears("working");
  expect(await stateAt(ann, root)).toBe("working");
});
