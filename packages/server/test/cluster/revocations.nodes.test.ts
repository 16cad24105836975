import { describe, expect, test } from "bun:test";
import { ChannelFeed } from "../../src/event-log/feed/channel-feed.ts";
import { channelFeed } from "../../src/event-log/feed/feed.ts";
import { MemoryBus } from "../../src/realtime/broker/broker.memory.ts";
import type { BrokerMessage } from "../../src/realtime/broker/broker.ts";
import { trustOf } from "../../src/realtime/control/trust.ts";
import { startNodes } from "../support/cluster/start-nodes.ts";
import { CutProxy } from "../support/faults/cut-proxy.ts";
import { LiveSocket } from "../support/servers/live-socket.ts";
import { newChannel } from "../support/servers/realtime.ts";
import { Client, eventually, logIn, type TestServer } from "../support/servers/test-server.ts";
import { setLevel, staff } from "../support/staff.ts";

/** A bus that can lose everything. */
class CutBus extends MemoryBus {
  isCut = false;

  override carry(_: string, messages: readonly BrokerMessage[], deliver: (messages: readonly BrokerMessage[]) => void) {
    if (!this.isCut) deliver(messages);
  }
}

const MUTED_UNTIL = "2999-01-01T00:00:00.000Z";

/** Starts two nodes that know each other. Returns them, and the same client on the second one. */
async function startTwo(bus: "redis" | MemoryBus) {
  const cluster = await startNodes(2, { bus });
  const [a, b] = cluster.nodes as [TestServer, TestServer];
  const know = async ({ ctx }: TestServer) => {
    await ctx.cluster?.refresh();
    return ctx.cluster?.nodes.length === 2;
  };
  await eventually("the nodes know each other", async () => (await know(a)) && (await know(b)));
  const onB = ({ credential }: Client) => new Client(b.url, credential);
  return { a, b, onB, [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose]() };
}

type Two = Awaited<ReturnType<typeof startTwo>>;

/** An act that a caller may do on the second node, and how the first node takes the right away. */
interface Loss {
  may: () => Promise<{ status: number }>;
  take: () => Promise<{ status: number }>;
  status: number;
}

const say = (who: Client, channel_id: number) => who.post("/api/messages", { channel_id, content: "hello" });
const read = (who: Client, channel_id: number) => who.get(`/api/messages?channel_id=${channel_id}`);

const losses: Record<string, (two: Two) => Promise<Loss>> = {
  "a session": async ({ a, onB }) => {
    const ann = await a.user("ann");
    const other = await logIn(a.url, "ann");
    const sessions = () => onB(other).get("/api/auth/sessions");
    return { may: sessions, take: () => ann.delete("/api/auth/sessions"), status: 401 };
  },
  "an agent's key": async ({ a, onB }) => {
    const agent = await a.agent("Helper");
    const here = () => onB(agent).get("/api/agenthub/mentions");
    return { may: here, take: () => agent.delete(`/api/agenthub/agent-api-key/${agent.keyId}`), status: 401 };
  },
  "a key that an administrator replaces": async ({ a, onB }) => {
    const [agent, ruth] = [await a.agent("Helper"), await staff(a, "ruth", 2)];
    const here = () => onB(agent).get("/api/agenthub/mentions");
    const replace = () => ruth.post("/api/agenthub/agent-api-key/rotate", { agent_id: agent.agentId });
    return { may: here, take: replace, status: 401 };
  },
  "a membership": async ({ a, onB }) => {
    const [ann, bob] = [await a.user("ann"), await a.user("bob")];
    const { id } = await newChannel(ann, { is_private: true });
    await ann.put(`/api/channels/${id}/members/bob`, { role: "member" });
    return { may: () => read(onB(bob), id), take: () => ann.delete(`/api/channels/${id}/members/bob`), status: 404 };
  },
  "the right to enter": async ({ a, onB }) => {
    const [ann, bob] = [await a.user("ann"), await a.user("bob")];
    const { id } = await newChannel(ann);
    const ban = () => ann.post(`/api/channels/${id}/bans`, { username: "bob" });
    return { may: () => say(onB(bob), id), take: ban, status: 403 };
  },
  "the right to speak": async ({ a, onB }) => {
    const [ann, bob] = [await a.user("ann"), await a.user("bob")];
    const { id } = await newChannel(ann);
    const mute = () => ann.put(`/api/channels/${id}/members/bob`, { muted_until: MUTED_UNTIL });
    return { may: () => say(onB(bob), id), take: mute, status: 403 };
  },
  "an account": async ({ a, onB }) => {
    const admin = await staff(a, "warden", 2);
    const bob = await a.user("bob");
    const suspend = () => admin.put("/api/admin/users/bob", { suspended_until: MUTED_UNTIL });
    return { may: () => onB(bob).get("/api/auth/sessions"), take: suspend, status: 401 };
  },
  "an open channel": async ({ a, b }) => {
    const ann = await a.user("ann");
    const { id } = await newChannel(ann);
    return {
      may: () => read(b.guest, id),
      take: () => ann.put(`/api/channels/${id}`, { is_private: true }),
      status: 404,
    };
  },
};

describe("what one node takes away", () => {
  describe.each(["memory", "redis"] as const)("over %s", (kind) => {
    test.each(Object.keys(losses))("%s is lost on the other when the answer arrives", async (name) => {
      await using two = await startTwo(kind === "redis" ? "redis" : new CutBus());
      const loss = await losses[name]?.(two);
      if (loss === undefined) throw new Error("unknown");
      expect((await loss.may()).status).toBeLessThan(300);
      expect((await loss.may()).status).toBeLessThan(300);
      expect((await loss.take()).status).toBeLessThan(300);
      expect((await loss.may()).status).toBe(loss.status);
      const { confirmed, unconfirmed } = two.a.ctx.metrics.control;
      expect({ unconfirmed, isConfirmed: confirmed > 0 }).toEqual({ unconfirmed: 0, isConfirmed: true });
    });
  });

  test("without the bus, it is lost on the other within two seconds", async () => {
    const bus = new CutBus();
    await using two = await startTwo(bus);
    const loss = await losses["a session"]?.(two);
    expect((await loss?.may())?.status).toBe(200);
    bus.isCut = true;
    const began = performance.now();
    await loss?.take();
    const answered = performance.now();
    expect(answered - began).toBeGreaterThan(900);
    await eventually("it is lost", async () => (await loss?.may())?.status === 401, 2_000);
    expect(two.a.ctx.metrics.control.unconfirmed).toBe(1);
  });

  test("a socket on the other hears nothing of a channel that is closed, from then on", async () => {
    await using two = await startTwo("redis");
    const ann = await two.a.user("ann");
    const { id } = await newChannel(ann);
    await using guest = await LiveSocket.open(two.b.url);
    await guest.ask("channel:join", { channel_id: id });
    await say(ann, id);
    await guest.find(({ event }) => event === "message:new");
    await ann.put(`/api/channels/${id}`, { is_private: true });
    await say(ann, id);
    await guest.settle();
    expect(guest.all("message:new")).toHaveLength(1);
  });
});

describe("a node that PostgreSQL does not answer", () => {
  test("refuses what depends on rights, and passes no frames on until it has heard of what was taken", async () => {
    const bus = new CutBus();
    await using cluster = await startNodes(1, { bus });
    const [a] = cluster.nodes as [TestServer];
    const { proxy, url } = await CutProxy.to(cluster.databaseUrl);
    await using _ = proxy;
    const b = await cluster.add({ database: { kind: "postgres", url } });
    const [ann, bob] = [await a.user("ann"), await a.user("bob")];
    const { id } = await newChannel(ann, { is_private: true });
    await ann.put(`/api/channels/${id}/members/bob`, { role: "member" });
    const bobOnB = new Client(b.url, bob.credential);
    await using socket = await LiveSocket.open(b.url, bob.credential);
    await socket.ask("channel:join", { channel_id: id });
    expect((await read(bobOnB, id)).status).toBe(200);

    // The bus still works towards the node, but the control message is lost.
    proxy.hang();
    await eventually("the node distrusts itself", () => trustOf(b.ctx)?.isGood === false);
    bus.isCut = true;
    await ann.delete(`/api/channels/${id}/members/bob`);
    bus.isCut = false;
    await say(ann, id);
    const refused = await read(bobOnB, id);
    expect(refused).toMatchObject({ status: 503, body: { code: "storage_unavailable", retryable: true } });
    expect((await socket.ask("message:send", { channel_id: id, content: "x" })).data.code).toBe("storage_unavailable");
    expect((await b.guest.get("/livez")).status).toBe(200);
    expect(socket.all("message:new")).toEqual([]);
    expect(b.ctx.metrics.control.refusals).toBeGreaterThan(0);

    proxy.mend();
    await eventually("the node hears again", async () => (await read(bobOnB, id)).status === 404);
    await socket.find(({ event }) => event === "channel:removed");
    await socket.settle();
    expect(socket.all("message:new")).toEqual([]);
  });

  test("asks again for a socket's rights when PostgreSQL was away as they changed", async () => {
    await using cluster = await startNodes(1, { bus: "memory" });
    const [a] = cluster.nodes as [TestServer];
    const { proxy, url } = await CutProxy.to(cluster.databaseUrl);
    await using _ = proxy;
    const b = await cluster.add({ database: { kind: "postgres", url } });
    await eventually("the node is known", async () => {
      await a.ctx.cluster?.refresh();
      return a.ctx.cluster?.nodes.length === 2;
    });
    const [ann, warden] = [await a.user("ann"), await staff(a, "warden", 2)];
    const { id } = await newChannel(ann, { is_private: true });
    await using socket = await LiveSocket.open(b.url, warden.credential);
    await socket.ask("channel:join", { channel_id: id });

    proxy.cut();
    // Returns when the node has tried to read the session.
    await setLevel(a, "warden", null);
    proxy.mend();
    const demotedAt = performance.now();
    await socket.find(({ event }) => event === "access:ended");
    // Without a failure, the sweep checks a socket only every 25 seconds.
    expect(performance.now() - demotedAt).toBeLessThan(10_000);
  });

  test("acknowledges a join only when it trusts itself again, and pushes nothing that the ack covers", async () => {
    await using cluster = await startNodes(1, { bus: "memory" });
    const [a] = cluster.nodes as [TestServer];
    const { proxy, url } = await CutProxy.to(cluster.databaseUrl);
    await using _ = proxy;
    const b = await cluster.add({ database: { kind: "postgres", url } });
    const ann = await a.user("ann");
    const { id } = await newChannel(ann);
    await using listening = await LiveSocket.open(b.url);
    await listening.ask("channel:join", { channel_id: id });
    await using joining = await LiveSocket.open(b.url);

    proxy.hang();
    const acknowledged = joining.ask("channel:join", { channel_id: id });
    await eventually("the node distrusts itself", () => trustOf(b.ctx)?.isGood === false);
    await say(ann, id);
    await eventually("the message has arrived", async () => {
      const feed = channelFeed(b.ctx, id);
      return feed instanceof ChannelFeed && feed.lastSeq > 0;
    });
    proxy.mend();

    const { last_seq: last } = (await acknowledged).data;
    await say(ann, id);
    await joining.find(({ event, data }) => event === "message:new" && data.seq > last);
    expect(joining.all("message:new").map(({ data }) => data.seq)).toEqual([last + 1]);
    expect(listening.all("message:new").map(({ data }) => data.seq)).toEqual([last, last + 1]);
  });
});
