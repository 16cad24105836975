import { LoadProcess } from "../load-process.ts";
import { BENCH_DATABASE, BenchCluster } from "../servers/cluster.ts";
import { parley } from "../servers/parley.ts";
import type { RunningServer } from "../servers/server.ts";
import { median, percentile } from "../statistics.ts";
import { createRoom, measureCalls, type Row } from "./calls.ts";
import { USERS } from "./lone.ts";
import { adviseOnPorts } from "./ports.ts";

const NODES = 3;
/** Sockets that are opened before the next job, because a job has a time limit. */
const PORTION = 4_000;
/** Messages that are timed until everybody in the room has them, after one that is not. */
const MESSAGES = 30;
const DELIVERY_TIMEOUT_MS = 60_000;

/** All sockets of the load have one address, and the calls come from few users. */
const ENV = { PARLEY_RATE_LIMITS: "off", PARLEY_SOCKETS_PER_ADDRESS: "100000" };

/** Returns what is missing for a cluster; null if nothing is. */
export const missingForNodes = (): string | null =>
  BENCH_DATABASE === undefined ? "PARLEY_BENCH_DATABASE_URL is not set" : null;

/** A node, and the process whose sockets are connected to it: no process may open 50,000 files. */
interface Side {
  node: RunningServer;
  load: LoadProcess;
}

/**
 * Measures one size on three nodes with Redis and PostgreSQL: as many sockets of guests as the size are spread over the
 * nodes, and all are in #general. Besides the calls, it times a message to that room until its last socket has it.
 */
export async function measureNodes(size: number): Promise<Row> {
  await using stack = new AsyncDisposableStack();
  const cluster = stack.use(await BenchCluster.start("growth", NODES, true, {}, ENV));
  const [first] = cluster.nodes;
  if (first === undefined) throw new Error("there is no node");
  const cookies = await parley.sessions(first, USERS);
  const sides = cluster.nodes.map((node): Side => ({ node, load: stack.use(new LoadProcess()) }));
  adviseOnPorts(size / NODES);
  const started = performance.now();
  await Promise.all(sides.map((side, i) => openAll(side, Math.floor((size + i) / NODES))));
  console.error(`  ${size} sockets open and joined after ${((performance.now() - started) / 1000).toFixed(0)} s`);
  const room = await createRoom(first, cookies[0] ?? "");
  const row = await measureCalls(first, { cookies, room, listed: await generalId(first, cookies[0] ?? "") });
  row["message to all"] = await messageToAll(sides, size, cookies[0] ?? "");
  row.start = { p50: first.readyMs, p99: Math.max(...cluster.nodes.map(({ readyMs }) => readyMs)) };
  return row;
}

async function openAll({ node, load }: Side, count: number): Promise<void> {
  const { port } = node;
  for (let left = count; left > 0; left -= PORTION) {
    const cookies = Array<null>(Math.min(left, PORTION)).fill(null);
    await load.run({ kind: "open", port, protocol: "parley", cookies, concurrency: 32, probes: 0 });
  }
  await load.run({ kind: "join", room: "general" });
}

async function generalId({ url }: RunningServer, cookie: string): Promise<number> {
  const answer = await fetch(`${url}/api/channels?limit=50`, { headers: { cookie } });
  const { channels } = (await answer.json()) as { channels: { id: number; channel_slug: string }[] };
  const general = channels.find(({ channel_slug }) => channel_slug === "general");
  if (general === undefined) throw new Error("there is no channel general");
  return general.id;
}

/** Sends messages to the big room, one at a time. Every socket must receive each of them once. */
async function messageToAll(sides: readonly Side[], size: number, cookie: string): Promise<Row[string]> {
  const waits: number[] = [];
  for (let sent = 1; sent <= 1 + MESSAGES; sent += 1) {
    const arrived = sides.map(({ load }) => load.run({ kind: "arrivals", each: sent, timeoutMs: DELIVERY_TIMEOUT_MS }));
    const started = Date.now();
    const [node] = sides;
    const answer = await fetch(`${node?.node.url}/api/messages`, {
      method: "POST",
      headers: { cookie, "content-type": "application/json" },
      body: JSON.stringify({ channel_slug: "general", content: `To everybody, ${sent}. `.repeat(4) }),
    });
    if (answer.status !== 201) throw new Error(`send: ${answer.status} ${await answer.text()}`);
    const results = await Promise.all(arrived);
    const received = results.reduce((sum, { deliveries }) => sum + deliveries, 0);
    if (received !== sent * size) throw new Error(`${received} deliveries of ${sent} messages to ${size} sockets`);
    if (sent > 1) waits.push(Math.max(...results.map(({ at }) => at)) - started);
  }
  return { p50: median(waits), p99: percentile(waits, 0.99) };
}
