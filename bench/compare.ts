/**
 * `node_modules/.bin/bun bench/compare.ts FOLDER FOLDER …`: compares builds of Parley, each in a checkout with
 * `node_modules`, as lone servers: µs of CPU per operation. All servers run at once on one core and take turns of some
 * milliseconds, so that whatever else the machine does disturbs all of them alike. Name a folder twice to see how far
 * the same build differs from itself. Uses SQLite, or PostgreSQL if PARLEY_BENCH_DATABASE_URL is set. Beside the median of
 * the paired differences it compares the fastest tenth of the rounds, which a busy machine disturbs least, and the mean
 * of all, which alone counts every collection of garbage.
 */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import type { serverBundle } from "../tools/server-bundle.mjs";
import { CpuMeter } from "./cpu-meter.ts";
import { LOAD_CORE, pinned } from "./pinning.ts";
import { BENCH_DATABASE, BenchCluster } from "./servers/cluster.ts";
import { parley } from "./servers/parley.ts";
import { RunningServer } from "./servers/server.ts";
import { median, percentile } from "./statistics.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: "string", default: "40" }, case: { type: "string", default: "" } },
});
const folders = positionals.map((folder) => resolve(folder));
if (folders.length < 2) throw new Error("usage: bun bench/compare.ts FOLDER FOLDER … [--rounds N] [--case TEXT]");

/** Enough that nobody reaches a rate of the development profile. */
const USERS = 128;
const SOCKETS = 32;
const FANNED_OUT = 20;
const ROUND_MS = 800;
const WARMUP_ROUNDS = 8;
/** Background work that follows messages, such as indexing, belongs to no case. */
const REST_MS = 3000;
const CONTENT = "The tide is out, the gulls are in, and somebody has to write down what the harbour said.";

interface Build {
  server: RunningServer;
  cookies: string[];
  room: string;
  sockets: WebSocket[];
  turns: number;
}

await using stack = new AsyncDisposableStack();

async function request({ server, cookies, turns }: Build, path: string, body?: object): Promise<void> {
  const headers = { cookie: cookies[turns % cookies.length] ?? "", "content-type": "application/json" };
  const how = body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) };
  const answer = await fetch(`${server.url}${path}`, how);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${answer.status} ${text}`);
}

async function send(build: Build, inFlight: number): Promise<number> {
  const sends = Array.from({ length: inFlight }, () => {
    build.turns += 1;
    const content = build.turns % 8 === 0 ? `@bench_${build.turns % USERS} ${CONTENT}` : CONTENT;
    return request(build, "/api/messages", { channel_slug: build.room, content });
  });
  await Promise.all(sends);
  return inFlight;
}

async function readPages(build: Build): Promise<number> {
  const pages = Array.from({ length: 64 }, () => {
    build.turns += 1;
    return request(build, `/api/messages?channel_id=${build.room}`);
  });
  await Promise.all(pages);
  return pages.length;
}

/** Sends a command on every socket and resolves when all are acknowledged. */
async function command({ sockets }: Build, event: string, data: object): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let missing = sockets.length;
  for (const socket of sockets) {
    socket.onmessage = ({ data: frame }) => {
      if (String(frame).startsWith('{"event":"error"')) reject(new Error(String(frame)));
      if (!String(frame).startsWith('{"event":"ack"')) return;
      missing -= 1;
      if (missing === 0) resolve();
    };
    socket.send(JSON.stringify({ event, data, ref: "r" }));
  }
  await promise;
}

async function join(build: Build): Promise<number> {
  await command(build, "channel:join", { channel_slug: build.room });
  await command(build, "channel:leave", { channel_slug: build.room });
  return build.sockets.length;
}

/** Sends messages, one after the other, to sockets that are in the room. Returns how often one was delivered. */
async function fanOut(build: Build): Promise<number> {
  const { sockets } = build;
  await command(build, "channel:join", { channel_slug: build.room });
  const { promise, resolve } = Promise.withResolvers<void>();
  let missing = sockets.length * FANNED_OUT;
  for (const socket of sockets) {
    socket.onmessage = ({ data: frame }) => {
      if (!String(frame).includes('"message:new"')) return;
      missing -= 1;
      if (missing === 0) resolve();
    };
  }
  for (let sent = 0; sent < FANNED_OUT; sent += 1) await send(build, 1);
  await promise;
  await command(build, "channel:leave", { channel_slug: build.room });
  return sockets.length * FANNED_OUT;
}

const CASES: Record<string, (build: Build) => Promise<number>> = {
  "join and leave, 32 sockets": join,
  "fan-out to 32 sockets": fanOut,
  "newest page, 64 in flight": readPages,
  "send, 1 in flight": (build) => send(build, 1),
  "send, 64 in flight": (build) => send(build, 64),
};

async function start(folder: string, number: number): Promise<Build> {
  // Each build knows its own sources.
  const own: { serverBundle: typeof serverBundle } = await import(resolve(folder, "tools/server-bundle.mjs"));
  const options = { command: [process.execPath, own.serverBundle(folder, process.execPath), "serve"] };
  const server =
    BENCH_DATABASE === undefined
      ? stack.use(await RunningServer.start(parley, options))
      : stack.use(await BenchCluster.start(`build-${number}`, 1, false, options)).nodes[0];
  if (server === undefined) throw new Error("there is no server");
  const cookies = await parley.sessions(server, USERS);
  const room = await parley.createRoom(server);
  const sockets = cookies.slice(0, SOCKETS).map((cookie) => {
    const url = `${server.url.replace("http", "ws")}/api/ws`;
    return new WebSocket(url, { headers: { cookie } } as unknown as string[]);
  });
  await Promise.all(sockets.map((socket) => new Promise((open) => socket.addEventListener("open", open))));
  const build = { server, cookies, room, sockets, turns: 0 };
  await send(build, 64);
  return build;
}

interface Share {
  /** µs of CPU. */
  cpu: number;
  operations: number;
}
const NOTHING: Share = { cpu: 0, operations: 0 };
const costOf = ({ cpu, operations }: Share): number => cpu / operations;
/** Includes every round's share of the garbage collections, which fall into few of them. */
const meanOf = (shares: readonly Share[]): number =>
  shares.reduce((sum, { cpu }) => sum + cpu, 0) / shares.reduce((sum, { operations }) => sum + operations, 0);

/** Lets the builds take turns for a while; returns what each used and did. */
async function round(run: (build: Build) => Promise<number>): Promise<Share[]> {
  const meter = await CpuMeter.start(
    Object.fromEntries(builds.map(({ server }, at) => [at, async () => [server.pid]])),
  );
  const done = builds.map(() => 0);
  const end = performance.now() + ROUND_MS;
  for (let turn = 0; performance.now() < end; turn += 1) {
    for (let i = 0; i < builds.length; i += 1) {
      const at = (i + turn) % builds.length;
      const build = builds[at];
      if (build !== undefined) done[at] = (done[at] ?? 0) + (await run(build));
    }
  }
  const { cpu } = await meter.stop();
  return done.map((operations, at) => ({ cpu: (cpu[at] ?? 0) * 1e6, operations }));
}

if (process.env.PARLEY_BENCH_PINNED === undefined) {
  const env = { ...process.env, PARLEY_BENCH_PINNED: "1" };
  const child = Bun.spawn(pinned(LOAD_CORE, process.argv), { env, stdio: ["ignore", "inherit", "inherit"] });
  process.exit(await child.exited);
}
const builds: Build[] = [];
for (const [number, folder] of folders.entries()) builds.push(await start(folder, number));
console.log(`| µs of CPU | ${folders.join(" | ")} |\n|-|${folders.map(() => "-|").join("")}`);
for (const [name, run] of Object.entries(CASES)) {
  if (!name.includes(values.case)) continue;
  for (let n = 0; n < WARMUP_ROUNDS; n += 1) await round(run);
  const rounds: Share[][] = [];
  for (let n = 0; n < Number(values.rounds); n += 1) rounds.push(await round(run));
  const cells = builds.map((_, at) => {
    const shares = rounds.map((shares) => shares[at] ?? NOTHING);
    const costs = shares.map(costOf);
    const cost = `${percentile(costs, 0.25).toFixed(1)} to ${percentile(costs, 0.75).toFixed(1)}`;
    if (at === 0) return `${median(costs).toFixed(1)} (${cost})`;
    const firstShares = rounds.map(([share = NOTHING]) => share);
    const first = firstShares.map(costOf);
    const changes = costs.map((cost, n) => (cost / (first[n] ?? Number.NaN) - 1) * 100);
    const change = [0.5, 0.25, 0.75].map((share) => percentile(changes, share).toFixed(1));
    const fastest = (percentile(costs, 0.1) / percentile(first, 0.1) - 1) * 100;
    const paired = `${change[0]} % (${change[1]} to ${change[2]})`;
    const mean = (meanOf(shares) / meanOf(firstShares) - 1) * 100;
    return `${median(costs).toFixed(1)} (${cost}), ${paired}, fastest ${fastest.toFixed(1)} %, mean ${mean.toFixed(1)} %`;
  });
  console.log(`| ${name} | ${cells.join(" | ")} |`);
  await Bun.sleep(REST_MS);
}
for (const { sockets } of builds) for (const socket of sockets) socket.close();
