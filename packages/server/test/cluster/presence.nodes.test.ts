import { describe, expect, test } from "bun:test";
import { Lab } from "../support/cluster/lab.ts";
import { startNodes } from "../support/cluster/start-nodes.ts";
import { EventReader } from "../support/servers/event-reader.ts";
import { TestSocket } from "../support/servers/socket.ts";
import { Client, eventually, signUp } from "../support/servers/test-server.ts";

/** Guarantees P8: what a dead node showed online is gone by then. */
const GONE_MS = 30_000;

const general = { channel_slug: "general" };

async function joined(url: string, who: Client | null, channel: object = general): Promise<TestSocket> {
  const socket = await TestSocket.open(url, who?.credential ?? {});
  const ack = await socket.command("channel:join", channel);
  if (ack.event !== "ack") throw new Error(`The join failed: ${JSON.stringify(ack)}`);
  return socket;
}

const isList = ({ event }: { event: string }) => event === "user:list";

/** Waits until the newest online list of a socket has these names. */
const lists = (socket: TestSocket, ...names: string[]) =>
  eventually(`the list is ${names.join(" ")}`, () => {
    const users: { name: string }[] = socket.frames.findLast(isList)?.data.users ?? [];
    return users.map(({ name }) => name).join(" ") === names.join(" ");
  });

describe("on several nodes", () => {
  test("users, guests and agents of all nodes are online, each user once", async () => {
    await using cluster = await startNodes(2, { bus: "redis" });
    const [a, b] = cluster.nodes;
    if (a === undefined || b === undefined) throw new Error("There are not two nodes.");
    const [ann, bob] = [await a.user("ann"), await b.user("bob")];
    using annOnA = await joined(a.url, ann);
    using bobOnB = await joined(b.url, bob);
    const ack = bobOnB.frames.find(({ event }) => event === "ack")?.data;
    expect([ack.count, ack.users.map(({ name }: { name: string }) => name)]).toEqual([2, ["ann", "bob"]]);
    await lists(annOnA, "ann", "bob");
    using annOnB = await joined(b.url, ann);
    using _first = await joined(a.url, null);
    using _second = await joined(b.url, null);
    await eventually("guests are summed", async () => {
      const { body } = await a.guest.get("/api/channels/1/online");
      return body.count === 2 && body.guest_count === 2;
    });
    expect((await a.guest.get("/api/user/bob")).body).toMatchObject({ is_online: true });
    const { channels } = (await b.guest.get("/api/channels")).body;
    expect(channels[0].online_count).toBe(2);

    annOnA.close();
    const scout = await a.agent("Scout");
    const online = await scout.post("/api/agenthub/login", { ...general, agent_name: "Scout" });
    expect([online.status, online.body.count]).toEqual([200, 3]);
    await lists(bobOnB, "ann", "bob", "Scout");
    const elsewhere = new Client(b.url, scout.credential);
    expect((await elsewhere.post("/api/agenthub/logout", general)).body.was_online).toBe(true);
    await eventually("the agent is gone on the other node", async () => {
      return (await a.guest.get("/api/channels/1/online")).body.count === 2;
    });
    annOnB.close();
    await lists(bobOnB, "bob");
  });

  test("a user or agent that is removed on one node leaves the channel on all nodes", async () => {
    await using cluster = await startNodes(2, { bus: "redis" });
    const [a, b] = cluster.nodes;
    if (a === undefined || b === undefined) throw new Error("There are not two nodes.");
    const [ann, bob] = [await a.user("ann"), await b.user("bob")];
    const { channel_id } = (await ann.post("/api/channels", { name: "Den", channel_slug: "den" })).body;
    using annOnA = await joined(a.url, ann, { channel_id });
    using bobOnB = await joined(b.url, bob, { channel_id });
    const scout = await b.agent("Scout");
    const onB = new Client(b.url, scout.credential);
    await onB.post("/api/agenthub/login", { channel_slug: "den", agent_name: "Scout" });
    await lists(annOnA, "ann", "bob", "Scout");
    await using stream = await EventReader.open(a.url, scout.credential);
    expect((await ann.delete(`/api/channels/${channel_id}/members/bob`)).status).toBe(200);
    await bobOnB.next(({ event }) => event === "access:ended");
    await lists(annOnA, "ann", "Scout");
    expect((await ann.delete(`/api/channels/${channel_id}/members/Scout`)).status).toBe(200);
    await lists(annOnA, "ann");
    await stream.next(({ event }) => event === "access:ended");
    using again = await joined(b.url, bob, { channel_id });
    await lists(annOnA, "ann", "bob");
    again.close();
    await lists(annOnA, "ann");
  });

  test("no online list shows that Redis was flushed", async () => {
    await using cluster = await startNodes(2, { bus: "redis" });
    const [a, b] = cluster.nodes;
    if (a === undefined || b === undefined) throw new Error("There are not two nodes.");
    using annOnA = await joined(a.url, await a.user("ann"));
    using bobOnB = await joined(b.url, await b.user("bob"));
    await lists(annOnA, "ann", "bob");
    const before = [annOnA, bobOnB].map(({ frames }) => frames.filter(isList).length);
    await cluster.redis?.command("FLUSHALL");
    await eventually("everything is announced again", async () => {
      const keys = (await cluster.redis?.command("KEYS", "*p:1:n:*")) as string[];
      return keys.length === 2;
    });
    using _cid = await joined(b.url, await a.user("cid"));
    for (const socket of [annOnA, bobOnB]) await lists(socket, "ann", "bob", "cid");
    expect([annOnA, bobOnB].map(({ frames }) => frames.filter(isList).length)).toEqual(before.map((n) => n + 1));
  });

  test("the users of a killed node are gone within 30 s", async () => {
    await using lab = await Lab.open(2);
    const [first, second] = [lab.node(0), lab.node(1)];
    const [ann, bob] = [await signUp(first.url, "ann"), await signUp(second.url, "bob")];
    using _lost = await joined(first.url, ann);
    using socket = await joined(second.url, bob);
    await eventually("both are online", async () => {
      return (await bob.get("/api/channels/1/online")).body.count === 2;
    });
    await first.kill();
    const began = performance.now();
    await eventually("ann is gone", () => socket.frames.findLast(isList)?.data.count === 1, GONE_MS + 15_000);
    expect(performance.now() - began).toBeLessThan(GONE_MS);
    expect((await bob.get("/api/user/ann")).body.is_online).toBe(false);
  });

  test("no online list shows a rolling restart whose clients return in time", async () => {
    await using lab = await Lab.open(2);
    const [first, second] = [lab.node(0), lab.node(1)];
    const [ann, bob] = [await signUp(first.url, "ann"), await signUp(second.url, "bob")];
    using leaving = await joined(first.url, ann);
    using socket = await joined(second.url, bob);
    for (const one of [leaving, socket]) await lists(one, "ann", "bob");
    const before = socket.frames.filter(isList).length;
    const ended = first.stop();
    await leaving.next(({ event }) => event === "server:draining");
    using _back = await joined(second.url, ann);
    expect(await ended).toBe(0);
    await eventually("the node is forgotten", async () => {
      const keys = (await lab.redis.command("KEYS", "*:pc:*")) as string[];
      return keys.length === 1;
    });
    await bob.post("/api/messages", { ...general, content: "done" });
    await socket.next(({ event }) => event === "message:new");
    expect(socket.frames.filter(isList).length).toBe(before);
    expect((await bob.get("/api/channels/1/online")).body.count).toBe(2);
  });
});
