/**
 * `bun bench/soak.ts [--minutes 30] [--save FILE]`: keeps one server busy with sockets, channels and agents that come and
 * go, and records its resident memory. Nothing is left of what has gone, so memory must become flat. Prints one line of
 * JSON: the median of each quarter, the growth between the second and the last one, and the highest sample. With
 * `--save` the file also says how large the heap is each minute, and what is alive in it after five minutes and at the
 * end. performance-page.ts draws the saved file.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { residentBytes } from "./procfs.ts";
import { originOfRun } from "./report.ts";
import { PASSWORD, parley, useBundle } from "./servers/parley.ts";
import { RunningServer } from "./servers/server.ts";
import { median } from "./statistics.ts";

const { values } = parseArgs({
  options: { minutes: { type: "string", default: "30" }, save: { type: "string" } },
});

const USERS = 64;
/** Sockets that are open at a time, and how many are replaced in a second. */
const SOCKETS = 300;
const REPLACED = 10;
/** Channels that exist at a time beside those that stay; one is replaced each second. */
const CHANNELS = 20;
/** Agents that are logged in at a time; one is replaced every second. Its key is revoked. */
const AGENTS = 10;
const SENDS_A_SECOND = 100;
const SAMPLE_MS = 5_000;
/** When the server collects all garbage for the first time, to say what is alive. */
const WARM_MS = 5 * 60_000;
const COLLECTION_MS = 1_000;
/** SQLite keeps up to 32 MiB of the database in memory. Messages at the start fill that, or it would grow for 20 minutes. */
const FILLING = 3_500;
/** Almost the longest message: 15,800 bytes. */
const LONG = "\u{1f600}".repeat(3_950);
const MIB = 1024 * 1024;

interface Agent {
  key: string;
  keyId: string;
  room: string;
}

interface Sample {
  seconds: number;
  mib: number;
}

useBundle();
// The cache of recent messages may use 128 MiB, which would hide a leak for an hour.
const heapFolder = mkdtempSync(join(tmpdir(), "parley-bench-heap-"));
const heapFile = join(heapFolder, "heap.jsonl");
const env = (dataDir: string) => ({
  ...parley.env(dataDir),
  PARLEY_FEED_MEMORY_MIB: "8",
  BENCH_HEAP_FILE: heapFile,
  BUN_OPTIONS: `--preload=${new URL("heap-samples.ts", import.meta.url).pathname}`,
});
await using server = await RunningServer.start({ ...parley, env });
const cookies = await parley.sessions(server, USERS);
const owner = cookies[0] ?? "";
const rooms = [await parley.createRoom(server), await parley.createRoom(server)];
const level = Bun.spawnSync({
  cmd: [...parley.command(server.dataDir).slice(0, -1), "user", "level", "bench_0", "administrator"],
  env: { PATH: process.env.PATH ?? "", PARLEY_DATA_DIR: server.dataDir },
});
if (level.exitCode !== 0) throw new Error(`could not make an administrator: ${level.stderr}`);
// The server hears of it when it next polls the database.
await Bun.sleep(2_000);
const sockets: WebSocket[] = [];
const channels: { id: number; slug: string }[] = [];
const agents: Agent[] = [];
let turn = 0;

async function call<Body>(method: string, path: string, headers: Record<string, string>, body?: object): Promise<Body> {
  const answer = await fetch(`${server.url}${path}`, {
    method,
    headers: { ...headers, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return JSON.parse(text) as Body;
}

const someone = () => ({ cookie: cookies[turn++ % USERS] ?? "" });
const someRoom = () => channels[turn % CHANNELS]?.slug ?? rooms[turn % rooms.length] ?? "";

async function replaceSocket(): Promise<void> {
  if (sockets.length >= SOCKETS) sockets.shift()?.close();
  const url = `${server.url.replace("http", "ws")}/api/ws`;
  const socket = new WebSocket(url, { headers: someone() } as unknown as string[]);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = reject;
  });
  socket.send(JSON.stringify({ event: "channel:join", data: { channel_slug: someRoom() }, ref: "j" }));
  sockets.push(socket);
}

async function replaceChannel(): Promise<void> {
  const gone = channels.length >= CHANNELS ? channels.shift() : undefined;
  if (gone !== undefined) await call("DELETE", `/api/channels/${gone.id}`, { cookie: owner });
  const slug = `soak-${turn++}`;
  const made = await call<{ channel_id: number }>(
    "POST",
    "/api/channels",
    { cookie: owner },
    { name: slug, channel_slug: slug },
  );
  channels.push({ id: made.channel_id, slug });
}

async function replaceAgent(): Promise<void> {
  const gone = agents.length >= AGENTS ? agents.shift() : undefined;
  if (gone !== undefined) await call("DELETE", `/api/agenthub/agent-api-key/${gone.keyId}`, { cookie: owner });
  const name = `soak_${turn++}`;
  const made = await call<{ api_key: string; key_id: string }>(
    "POST",
    "/api/agents",
    { cookie: owner },
    { agent_name: name, current_password: PASSWORD },
  );
  const agent = { key: made.api_key, keyId: made.key_id, room: rooms[turn % rooms.length] ?? "" };
  const authorization = { authorization: `Bearer ${agent.key}` };
  await call("POST", "/api/agenthub/login", authorization, { channel_slug: agent.room, agent_name: name });
  await call("POST", "/api/agenthub/send", authorization, {
    channel_slug: agent.room,
    agent_name: name,
    message: "hello",
  });
  agents.push(agent);
}

const send = (content = `message ${turn} `.repeat(8)): Promise<unknown> =>
  call("POST", "/api/messages", someone(), { channel_slug: rooms[turn % rooms.length], content });

const sendMany = (content?: string) => Promise.all(Array.from({ length: SENDS_A_SECOND }, () => send(content)));

/** Waits for the rest of a second between what it does. */
async function everySecond(until: () => boolean, act: () => Promise<unknown>): Promise<void> {
  while (!until()) {
    const next = performance.now() + 1_000;
    await act();
    await Bun.sleep(Math.max(0, next - performance.now()));
  }
}

async function second(): Promise<void> {
  await replaceChannel();
  await replaceAgent();
  for (let i = 0; i < REPLACED; i += 1) await replaceSocket();
  await sendMany();
}

let filled = 0;
await everySecond(
  () => filled >= FILLING,
  async () => {
    await sendMany(LONG);
    filled += SENDS_A_SECOND;
  },
);
const end = performance.now() + Number(values.minutes) * 60_000;
const samples: Sample[] = [];
const began = performance.now();
const sampling = setInterval(() => {
  samples.push({ seconds: Math.round((performance.now() - began) / 1000), mib: residentBytes(server.pid) / MIB });
}, SAMPLE_MS);
const collect = () => process.kill(server.pid, "SIGUSR2");
const warm = setTimeout(collect, WARM_MS);
while (sockets.length < SOCKETS) await replaceSocket();
await everySecond(() => performance.now() >= end, second);
clearInterval(sampling);
clearTimeout(warm);
collect();
await Bun.sleep(COLLECTION_MS);
for (const socket of sockets) socket.close();

const quarter = (n: number) =>
  median(samples.slice((samples.length * n) >> 2, (samples.length * (n + 1)) >> 2).map(({ mib }) => mib));
const round = (mib: number) => Math.round(mib * 10) / 10;
const quarters = [0, 1, 2, 3].map((n) => round(quarter(n)));
const line = {
  minutes: Number(values.minutes),
  sockets_replaced: REPLACED * samples.length * (SAMPLE_MS / 1000),
  median_mib_of_each_quarter: quarters,
  growth_mib: round((quarters[3] ?? 0) - (quarters[1] ?? 0)),
  highest_mib: round(Math.max(...samples.map(({ mib }) => mib))),
};
console.log(JSON.stringify(line));
const heap = readFileSync(heapFile, "utf8").trim().split("\n");
rmSync(heapFolder, { recursive: true });
const saved = { ...originOfRun(), ...line, samples, heap: heap.map((text) => JSON.parse(text) as unknown) };
if (values.save !== undefined) writeFileSync(values.save, `${JSON.stringify(saved, null, 1)}\n`);
