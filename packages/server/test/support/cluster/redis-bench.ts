import { systemClock } from "../../../src/clock.ts";
import type { Cluster, ClusterNode } from "../../../src/cluster/cluster.ts";
import { RedisBroker } from "../../../src/realtime/broker/broker.redis.ts";
import { RedisShards } from "../../../src/redis/shards.ts";
import { CutProxy } from "../faults/cut-proxy.ts";
import { SilentProxy } from "../faults/silent-proxy.ts";
import { RedisServer } from "../servers/redis-server.ts";
import { eventually } from "../servers/test-server.ts";

/** A cluster without a database: a list of nodes that a test changes. */
export class ListedNodes {
  nodes: ClusterNode[] = [];
  /** How often a node asked for the list. */
  refreshes = 0;
  /** Called when a node asks for the list. */
  onRefresh: () => void = () => {};

  /** Adds a node and returns its view. */
  join(shards: string, id = `node${this.nodes.length + 1}`): Cluster {
    const list = this;
    this.nodes = [...this.nodes, { id, name: id, version: "1", schema: 1, shards, state: "ready" }];
    return {
      nodeId: id,
      get nodes() {
        return list.nodes;
      },
      heartbeatAgeMs: 0,
      onNodes: () => {},
      onRejoined: () => {},
      async refresh() {
        list.refreshes++;
        list.onRefresh();
      },
      drain: async () => {},
    };
  }
}

/** Starts brokers on these Redis servers. Resolves when all of them are good. */
async function openBrokers(stack: AsyncDisposableStack, urls: readonly string[], count: number) {
  const cluster = new ListedNodes();
  const lines: string[] = [];
  const tell = (fields: object, text: string) => void lines.push(`${text} ${JSON.stringify(fields)}`);
  const log = { warn: tell, info: tell } as never;
  const all: { broker: RedisBroker; shards: RedisShards }[] = [];
  const add = async (id?: string) => {
    const shards = stack.use(new RedisShards(urls, { epoch: "e", onDown: () => {} }));
    await shards.start();
    const broker = new RedisBroker({
      redis: shards,
      cluster: cluster.join(shards.names, id),
      log,
      clock: systemClock,
      onError: () => {},
    });
    stack.use(broker);
    await broker.start();
    all.push({ broker, shards });
    return broker;
  };
  for (let n = 0; n < count; n++) await add();
  const nodes = all.map(({ broker }) => broker);
  const isGood = () => nodes.every((node) => node.numbers.shards.every(({ state }) => state === 2));
  await eventually("the bus works", isGood, 20_000);
  const [first, second = first] = nodes;
  if (first === undefined || second === undefined) throw new Error("A bench needs a node.");
  return {
    all,
    nodes,
    pair: [first, second] as const,
    cluster,
    lines,
    add,
    /** Waits until every node has a connection for commands: it may notice later than others that its own was closed. */
    async connected() {
      const answers = () =>
        Promise.all(all.flatMap(({ shards }) => shards.shards.map((shard) => shard.send("PING", []))));
      await eventually("Redis answers all nodes", () => answers().then(Boolean, () => false), 20_000);
    },
    /** Waits until every node hears all others, and trusts it. */
    good: () => eventually("the bus works again", isGood, 20_000),
  };
}

/** Opens brokers that share a Redis of their own, behind a proxy that can silence their connections. */
export async function openSilentBench(count: number) {
  const stack = new AsyncDisposableStack();
  const redis = stack.use(await RedisServer.start());
  const { proxy, url } = await SilentProxy.to(redis.url);
  stack.use(proxy);
  const brokers = await openBrokers(stack, [url], count);
  return { ...brokers, proxy, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/**
 * Opens brokers that share Redis servers of their own, behind proxies unless they are reached directly. Resolves when
 * all of them are good.
 */
export async function openBench(
  count: number,
  { servers = 1, isDirect = false }: { servers?: number; isDirect?: boolean } = {},
) {
  const stack = new AsyncDisposableStack();
  const redises: RedisServer[] = [];
  const proxies: CutProxy[] = [];
  const urls: string[] = [];
  for (let n = 0; n < servers; n++) {
    const redis = stack.use(await RedisServer.start());
    const { proxy, url } = await CutProxy.to(redis.url);
    redises.push(redis);
    proxies.push(stack.use(proxy));
    urls.push(isDirect ? redis.url : url);
  }
  const { all, ...brokers } = await openBrokers(stack, urls, count);
  let settled = 0;
  const [redis] = redises;
  const [proxy] = proxies;
  if (redis === undefined || proxy === undefined) throw new Error("A bench needs a server.");
  return {
    ...brokers,
    redis,
    proxy,
    /** What was published has reached Redis; then each link is answered behind what Redis sent it. */
    async settle() {
      for (const { shards } of all) for (const shard of shards.shards) await shard.send("PING", [], 10_000);
      settled++;
      await Promise.all(brokers.nodes.map((node) => node.subscribe(`n:settled${settled}`)));
    },
    cut: () => proxies.forEach((each) => void each.cut()),
    mend: () => proxies.forEach((each) => void each.mend()),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
