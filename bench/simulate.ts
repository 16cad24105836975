/**
 * `node_modules/.bin/bun bench/simulate.ts bench/results/<run>.json`: takes the measured costs of the scenario `cluster`
 * to many nodes. The exit code is 1 if the model misses a measured run by more than 15 %.
 */
import { type Costs, calibrate, perMessage, type Run, simulate } from "./cluster-model.ts";
import type { Row } from "./suite.ts";

const TOLERANCE = 0.15;
/** Assumed: at the peak, one of a hundred sockets sends each second. */
const SENDS_PER_SOCKET = 0.01;
const LISTENERS = 20;
/** Assumed: sockets of a node with one core. */
const PER_NODE = 50_000;

const [path] = process.argv.slice(2);
if (path === undefined) throw new Error("usage: bun bench/simulate.ts <results of the scenario cluster>.json");
const { rows } = (await Bun.file(path).json()) as { rows: Row[] };

const row = rows.find(({ scenario }) => scenario === "cluster");
if (row === undefined) throw new Error("the results have no row of the scenario cluster");

function runOf(name: string, nodes: number, listeners: number): Run {
  const figure = (key: string) => row?.details[`${name}_${key}`] ?? Number.NaN;
  return {
    nodes,
    listeners,
    node: figure("nodes_us"),
    redis: figure("redis_us"),
    postgres: figure("postgres_us"),
    idle: figure("nodes_idle_ms_per_second") * 1000,
  };
}

const micro = (value: number) => `${value.toFixed(1)} µs`;
const percent = (share: number) => `${(share * 100).toFixed(1)} %`;

/** Compares the model with every run, also with those it was not fitted to. Returns true if it meets all. */
function check(costs: Costs, runs: readonly Run[]): boolean {
  let isGood = true;
  console.log("| nodes | listeners | measured | model | difference |\n|-|-|-|-|-|");
  for (const { nodes, listeners, node } of runs) {
    const model = perMessage(costs, nodes, listeners).node;
    const difference = model / node - 1;
    if (Math.abs(difference) > TOLERANCE) isGood = false;
    console.log(`| ${nodes} | ${listeners} | ${micro(node)} | ${micro(model)} | ${percent(difference)} |`);
  }
  return isGood;
}

/** Prints the load of one cell: so many sockets on their nodes, with some spare. */
function show(costs: Costs, cell: { name: string; sockets: number; nodes: number; shards: number }): void {
  const sendsPerSecond = cell.sockets * SENDS_PER_SOCKET;
  const load = simulate(costs, { nodes: cell.nodes, shards: cell.shards, sendsPerSecond, listeners: LISTENERS });
  console.log(
    `| ${cell.name} | ${cell.nodes} | ${sendsPerSecond} | ${load.hearing.toFixed(1)} | ${percent(load.node.mean)}, ${percent(
      load.node.max,
    )} | ${cell.shards} × ${percent(load.redis.max)} | ${load.messagesToNodes} | ${load.postgres.toFixed(1)} cores |`,
  );
}

const few = runOf("few", 1, 4);
const many = runOf("one", 1, LISTENERS);
const two = runOf("two", 2, LISTENERS);
const three = runOf("three", 3, LISTENERS);
const costs = calibrate({ few, many, two });
console.log(
  Object.entries(costs)
    .map(([name, value]) => `${name} ${micro(value)}`)
    .join(", "),
);
const isGood = check(costs, [few, many, two, three]);
console.log(
  "\n| sockets | nodes | sends/s | nodes per message | node: mean, busiest | Redis | messages/s to nodes | PostgreSQL |",
);
console.log("|-|-|-|-|-|-|-|-|");
const nodesFor = (sockets: number) => Math.ceil(sockets / PER_NODE);
show(costs, { name: "100,000", sockets: 100_000, nodes: nodesFor(100_000), shards: 1 });
show(costs, { name: "2 M (a cell)", sockets: 2_000_000, nodes: nodesFor(2_000_000), shards: 4 });
show(costs, { name: "2 M, with the spare nodes", sockets: 2_000_000, nodes: nodesFor(2_000_000) + 4, shards: 4 });
process.exit(isGood ? 0 : 1);
