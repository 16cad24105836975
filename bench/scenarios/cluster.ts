import { CpuMeter } from "../cpu-meter.ts";
import type { Crowd } from "../load/jobs.ts";
import { BENCH_DATABASE, BenchCluster } from "../servers/cluster.ts";
import { parley } from "../servers/parley.ts";
import { median } from "../statistics.ts";
import type { Bench, Case, Measurement, Scenario } from "../suite.ts";
import { openSockets } from "./sockets.ts";

const CONTENT = "A hundred bytes of talk, the size of a usual line in a usual room.".padEnd(100, ".");
const ROOMS = 30;
const USERS = 60;
const PER_SECOND = 900;
/** For each node, so that each sends as many messages: the compilers are busy for that long. */
const WARMUP_MS = 8000;
const BURST_MS = 2500;
/** The work that follows a burst in the background belongs to it: new messages are indexed once a second. */
const AFTER_MS = 1000;
const BURSTS = 8;
const IDLE_MS = 4000;

interface Shape {
  name: string;
  nodes: number;
  /** False: a lone server without Redis. */
  hasRedis: boolean;
  /** Sockets in each room, spread evenly over the nodes. */
  listeners: number;
}

const SHAPES: readonly Shape[] = [
  { name: "lone", nodes: 1, hasRedis: false, listeners: 20 },
  { name: "one", nodes: 1, hasRedis: true, listeners: 20 },
  { name: "two", nodes: 2, hasRedis: true, listeners: 20 },
  { name: "three", nodes: 3, hasRedis: true, listeners: 20 },
  { name: "few", nodes: 1, hasRedis: true, listeners: 4 },
];

const GROUPS = ["nodes", "redis", "postgres"] as const;
type Group = (typeof GROUPS)[number];

/** A cluster with its sockets, and what its bursts have cost, µs of CPU per message. */
interface Place {
  shape: Shape;
  cluster: BenchCluster;
  crowd: Crowd;
  senders: number[];
  costs: Record<Group, number[]>;
}

/** Opens a cluster, and each node's share of the sockets; as many of them send on each node. */
async function open(bench: Bench, shape: Shape, cluster: BenchCluster, from: number): Promise<Place> {
  const [first] = cluster.nodes;
  if (first === undefined) throw new Error("there is no node");
  const cookies = await parley.sessions(first, USERS);
  const rooms: string[] = [];
  for (let i = 0; i < ROOMS; i += 1) rooms.push(await parley.createRoom(first));
  const count = (ROOMS * shape.listeners) / shape.nodes;
  const senders: number[] = [];
  for (const [at, node] of cluster.nodes.entries()) {
    const own = USERS / shape.nodes;
    await openSockets(bench, node, { count, cookies, senders: own });
    for (let i = 0; i < own; i += 1) senders.push(at * count + i);
  }
  const crowd = { from, count: count * shape.nodes, rooms };
  await bench.load.run({ kind: "join-rooms", crowd });
  return { shape, cluster, crowd, senders, costs: { nodes: [], redis: [], postgres: [] } };
}

async function metered<T>({ cluster }: Place, act: () => Promise<T>) {
  const meter = await CpuMeter.start(cluster.groups());
  const result = await act();
  return { result, ...(await meter.stop()) };
}

/** All clusters run at once and are loaded in turn, burst by burst: what disturbs the machine disturbs them all. */
async function measure(bench: Bench): Promise<Measurement> {
  await using stack = new AsyncDisposableStack();
  const places: Place[] = [];
  const faults: string[] = [];
  let sockets = 0;
  stack.defer(async () => void (await bench.load.run({ kind: "close" })));
  for (const shape of SHAPES) {
    const cluster = stack.use(await BenchCluster.start(shape.name, shape.nodes, shape.hasRedis));
    const place = await open(bench, shape, cluster, sockets);
    sockets += place.crowd.count;
    places.push(place);
  }
  const send = async ({ crowd, senders }: Place, runMs: number) => {
    const rate = { content: CONTENT, perSecond: PER_SECOND, runMs };
    const result = await bench.load.run({ kind: "paced-rooms", crowd, senders, ...rate });
    faults.push(...result.faults);
    return result;
  };
  for (const place of places) await send(place, WARMUP_MS * place.shape.nodes);
  for (let burst = 0; burst < BURSTS; burst += 1) {
    for (const place of burst % 2 === 0 ? places : places.toReversed()) {
      const { result, cpu } = await metered(place, async () => {
        const sent = await send(place, BURST_MS);
        await Bun.sleep(AFTER_MS);
        return sent;
      });
      for (const group of GROUPS) place.costs[group].push(((cpu[group] ?? 0) * 1e6) / result.sent);
    }
  }
  const details: Record<string, number> = {};
  await Promise.all(places.map((place) => describe(place, details)));
  return { value: (details.one_nodes_us ?? 0) / (details.two_nodes_us ?? Number.NaN), details, faults };
}

/** Adds a cluster's figures: the median of its bursts, and what it uses while nothing is sent. */
async function describe(place: Place, details: Record<string, number>): Promise<void> {
  const { seconds, cpu } = await metered(place, () => Bun.sleep(IDLE_MS));
  for (const group of GROUPS) {
    details[`${place.shape.name}_${group}_us`] = median(place.costs[group]);
    details[`${place.shape.name}_${group}_idle_ms_per_second`] = ((cpu[group] ?? 0) / seconds) * 1000;
  }
}

const clusterCase: Case = {
  name: `${PER_SECOND} messages/s, 20 listeners each`,
  unit: "c₁ ÷ c₂",
  servers: ["parley"],
  maxRounds: 3,
  measure,
};

/** Measures the cost of a message whose listeners are spread over one, two and three nodes. Needs a database. */
export const cluster: Scenario = {
  name: "cluster",
  about: "CPU of all nodes per message, on one node and split over two and three (PARLEY_BENCH_DATABASE_URL)",
  cases: () => (BENCH_DATABASE === undefined ? [] : [clusterCase]),
};
