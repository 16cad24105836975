import { expect, test } from "bun:test";
import { stillClock } from "../../../test/support/clock.ts";
import { testContext } from "../../../test/support/context.ts";
import { openFreshSqlite } from "../../../test/support/databases.ts";
import { eventually } from "../../../test/support/servers/test-server.ts";
import type { Cluster, ClusterNode } from "../../cluster/cluster.ts";
import { MemoryBroker, MemoryBus } from "../../realtime/broker/broker.memory.ts";
import { usualTiming } from "../../timing.ts";
import type { ChannelFeed } from "./channel-feed.ts";
import { TailChecks } from "./tail-checks.ts";

const PASSES = 20;

/** A cluster whose changes a test reports. */
class ToldCluster implements Cluster {
  readonly nodeId = "own";
  readonly nodes = [];
  gone = (_: { joined: ClusterNode[]; gone: ClusterNode[] }) => {};
  rejoined = () => {};
  onNodes(handler: typeof this.gone): void {
    this.gone = handler;
  }
  onRejoined(handler: () => void): void {
    this.rejoined = handler;
  }
  readonly heartbeatAgeMs = 0;
  async refresh(): Promise<void> {}
  async drain(): Promise<void> {}
}

/** Checks of `count` feeds, that record which channels are asked for in each query. */
async function checksOf(count: number) {
  const stack = new AsyncDisposableStack();
  const database = stack.use(await openFreshSqlite());
  const clock = stillClock();
  const cluster = new ToldCluster();
  const bus = new MemoryBus();
  const ctx = testContext(database, { clock, cluster, onClose: (close) => stack.defer(async () => close()) });
  Object.assign(ctx, { broker: new MemoryBroker({ bus }), timing: { ...usualTiming, jobRate: 100 } });
  const told: [number, number][] = [];
  let forgotten = 0;
  const feeds = new Map<number, ChannelFeed>();
  for (let channelId = 1; channelId <= count; channelId++) {
    const know = (seq: number) => told.push([channelId, seq]);
    const feed = { channelId, usedAt: 0, isIdle: true, know, memory: { forget: () => forgotten++ } };
    feeds.set(channelId, feed as unknown as ChannelFeed);
  }
  const unheld = new Set<number>();
  const asked: number[][] = [];
  const state = { fails: false };
  const checks = new TailChecks(
    ctx,
    {
      get size() {
        return feeds.size;
      },
      all: () => feeds.values(),
      peek: (id) => feeds.get(id),
      isHeld: ({ channelId }) => !unheld.has(channelId),
      end: ({ channelId }) => void feeds.delete(channelId),
    },
    {
      async ofAll(ids) {
        asked.push([...ids]);
        if (state.fails) throw new Error("The database is away.");
        return new Map(ids.map((id) => [id, id * 10]));
      },
    },
  );
  const all = [...feeds.keys()];
  const rest = { clock, cluster, bus, told, feeds, unheld, asked, state, forgotten: () => forgotten };
  return { checks, all, ...rest, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

test("each held channel is compared once in a round, a part in each pass", async () => {
  await using world = await checksOf(200);
  const { checks, all, asked, told, unheld } = world;
  unheld.add(7);
  for (let pass = 0; pass < PASSES; pass++) await checks.run();
  expect(Math.max(...asked.map(({ length }) => length))).toBe(10);
  expect(asked.flat().sort((a, b) => a - b)).toEqual(all.filter((id) => id !== 7));
  expect(told).toContainEqual([5, 50]);
});

test("the passes go on by themselves, and their failures are no end", async () => {
  await using world = await checksOf(200);
  const { checks, asked, state } = world;
  state.fails = true;
  checks.start();
  await eventually("two passes have failed", () => asked.length >= 2);
  state.fails = false;
  await eventually("all channels are compared", () => new Set(asked.flat()).size === 200);
});

test("all held channels are compared when a doubt begins and ends, a node is gone, or the others considered this one dead", async () => {
  await using world = await checksOf(100);
  const { checks, all, asked, bus, cluster, forgotten } = world;
  checks.start();
  const node = { id: "other" } as ClusterNode;
  const causes = [
    () => (bus.isDoubtful = true),
    () => (bus.isDoubtful = false),
    () => cluster.gone({ joined: [], gone: [node] }),
    () => cluster.rejoined(),
  ];
  for (const cause of causes) {
    asked.length = 0;
    cause();
    await checks.run();
    expect(asked[0]).toEqual(all);
  }
  expect(forgotten()).toBe(all.length);
  asked.length = 0;
  cluster.gone({ joined: [node], gone: [] });
  await checks.run();
  expect(asked.flat()).not.toEqual(all);
});

test("channels in doubt are compared in every pass", async () => {
  await using world = await checksOf(100);
  const { checks, all, asked, bus } = world;
  checks.start();
  bus.isDoubtful = true;
  for (let pass = 0; pass < 3; pass++) await checks.run();
  expect(asked.length).toBeGreaterThanOrEqual(3);
  for (const ids of asked) expect(ids.toSorted((a, b) => a - b)).toEqual(all);
});

test("a comparison of all channels that failed is repeated", async () => {
  await using world = await checksOf(100);
  const { checks, all, asked, state } = world;
  state.fails = true;
  checks.checkAll();
  await checks.run().catch(() => {});
  state.fails = false;
  asked.length = 0;
  await checks.run();
  expect(asked[0]).toEqual(all);
});

test("a feed without listeners and readers ends after a minute", async () => {
  await using world = await checksOf(3);
  const { checks, clock, feeds, unheld } = world;
  unheld.add(1).add(2);
  const round = async () => {
    for (let pass = 0; pass < 3; pass++) await checks.run();
  };
  await round();
  clock.advance(50_000);
  const asked = feeds.get(2);
  if (asked !== undefined) asked.usedAt = 1;
  await round();
  clock.advance(11_000);
  await round();
  expect([...feeds.keys()]).toEqual([2, 3]);
});
