/**
 * `bun bench/growth.ts [--large] [--axis NAME] [--keep FOLDER] [--save FILE]`: measures what calls cost as the data grows. Fills the
 * database of a stopped server along one axis at a time, starts it, and calls it with one request in flight. Prints a
 * table for each axis: the median in milliseconds and, in brackets, the 99th percentile, as the client sees them. The
 * saved file is JSON, from which performance-page.ts draws. `--keep` keeps the filled databases there, so that another
 * run on a quieter machine does not fill them again: 20 million messages take a quarter of an hour.
 */
import { Database } from "bun:sqlite";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { CHANNELS, wordOfRank } from "./corpus.ts";
import { type GrowthAxis, type GrowthFile, growthTable } from "./performance/growth.ts";
import { originOfRun } from "./report.ts";
import { corpusSlug, fillParley } from "./servers/fill.ts";
import { parley, untilIndexed, useBundle } from "./servers/parley.ts";
import { RunningServer } from "./servers/server.ts";
import { median, percentile } from "./statistics.ts";

const { values } = parseArgs({
  options: {
    large: { type: "boolean", default: false },
    axis: { type: "string" },
    keep: { type: "string" },
    save: { type: "string" },
  },
});

const USERS = 8;
const CALLS = 300;
const STARTS = 3;
const SOCKETS_AT_ONCE = 100;

interface Axis {
  name: string;
  sizes: readonly number[];
  /** One more size, with `--large`. */
  large: number;
  /** Grows the database of a stopped server. */
  fill(file: string, size: number): void;
  /** The room that is called; a new one without. */
  room?: string;
  /** Sockets that stay open in another room. */
  sockets?: (size: number) => number;
}

const AXES: readonly Axis[] = [
  {
    name: "messages",
    sizes: [10_000, 100_000, 1_000_000],
    large: 20_000_000,
    fill: (file, size) => fillParley(file, size, USERS, true),
    room: corpusSlug(0),
  },
  { name: "channels", sizes: [100, 10_000, 100_000], large: 1_000_000, fill: addChannels },
  { name: "members of the room", sizes: [10, 1_000, 100_000], large: 1_000_000, fill: addMembers, room: "general" },
  { name: "sockets", sizes: [100, 1_000, 10_000], large: 18_000, fill: () => {}, sockets: (size) => size },
];

/** Copies a row `count` times. `changed` has SQL for the columns that differ, in which `i` counts from 1. */
function copyRow(
  database: Database,
  table: string,
  where: string,
  count: number,
  changed: Record<string, string>,
): void {
  const columns = database.query<{ name: string }, []>(`select name from pragma_table_info('${table}')`).all();
  const kept = columns.map(({ name }) => name).filter((name) => name !== "id");
  database.run(
    `insert into ${table} (${kept.join(", ")})
     with recursive numbers (i) as (select 1 union all select i + 1 from numbers where i < ?)
     select ${kept.map((name) => changed[name] ?? name).join(", ")} from numbers, ${table} where ${where}`,
    [count],
  );
}

function addChannels(file: string, count: number): void {
  using database = new Database(file);
  copyRow(database, "channels", "slug = 'general'", count, { name: "'grown ' || i", slug: "'grown-' || i" });
}

function addMembers(file: string, count: number): void {
  using database = new Database(file);
  const changed = { username: "'grown' || i", username_key: "'grown' || i", invite_code: "'grown' || i" };
  copyRow(database, "users", "username = 'bench_0'", count, changed);
  database.run(
    `insert into channel_members (channel_id, user_id, role, joined_at)
     select c.id, u.id, 'member', (u.id * 7919) % 1000003 from channels c, users u
     where c.slug = 'general' and u.username like 'grown%'`,
  );
}

async function openSocket(url: string, cookie: string, room: string): Promise<WebSocket> {
  const options = (cookie === "" ? {} : { headers: { cookie } }) as unknown as string[];
  const socket = new WebSocket(`${url.replace("http", "ws")}/api/ws`, options);
  await new Promise<void>((resolve, reject) => {
    socket.onopen = () =>
      socket.send(JSON.stringify({ event: "channel:join", data: { channel_slug: room }, ref: "joined" }));
    socket.onerror = () => reject(new Error("a socket was refused"));
    socket.onmessage = ({ data }) => {
      const { event, ref } = JSON.parse(String(data));
      if (ref !== "joined") return;
      if (event === "ack") resolve();
      else reject(new Error(String(data)));
    };
  });
  socket.onmessage = null;
  return socket;
}

type Call = (n: number) => Promise<void>;

function callsTo(
  server: RunningServer,
  cookies: readonly string[],
  room: string,
  general: number,
): Record<string, Call> {
  const cookieOf = (n: number) => cookies[n % cookies.length] ?? "";
  const get =
    (path: (n: number) => string): Call =>
    async (n) => {
      const answer = await fetch(server.url + path(n), { headers: { cookie: cookieOf(n) } });
      await answer.arrayBuffer();
      if (answer.status !== 200) throw new Error(`${path(n)}: ${answer.status}`);
    };
  return {
    send: async (n) => {
      const answer = await fetch(`${server.url}/api/messages`, {
        method: "POST",
        headers: { cookie: cookieOf(n), "content-type": "application/json" },
        body: JSON.stringify({ channel_slug: room, content: `grown message ${n} `.repeat(5) }),
      });
      await answer.arrayBuffer();
      if (answer.status !== 201) throw new Error(`send: ${answer.status}`);
    },
    "newest page": get(() => `/api/messages?channel_slug=${room}&limit=50`),
    "socket and join": async (n) => (await openSocket(server.url, cookieOf(n), room)).close(),
    "channel list": get(() => "/api/channels?limit=50"),
    "member list": get(() => `/api/channels/${general}/members?limit=50`),
    "online list": get(() => `/api/channels/${general}/online?limit=50`),
    "search, rare word": get((n) => `/api/search/messages?q=${wordOfRank(20_000 + 37 * n)}`),
  };
}

type Row = Record<string, { p50: number; p99: number }>;

async function measure(axis: Axis, size: number): Promise<Row> {
  const { keep } = values;
  const dataDir =
    keep === undefined ? mkdtempSync(join(tmpdir(), "parley-bench-growth-")) : join(keep, `${axis.name}-${size}`);
  try {
    const cookies = await filled(axis, size, dataDir);
    const row: Row = {};
    const starts: number[] = [];
    // The first start counts the new rows and begins the index.
    for (let n = 0; n <= STARTS; n += 1) {
      await using server = await RunningServer.start(kind, { dataDir });
      if (n > 0) starts.push(server.readyMs);
      if (n === 0) await untilIndexed(server);
      if (n === STARTS) Object.assign(row, await measureCalls(axis, size, server, cookies));
    }
    row.start = { p50: median(starts), p99: Math.max(...starts) };
    return row;
  } finally {
    if (keep === undefined) rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Fills a database, unless an earlier run has. Returns the cookies of its users. */
async function filled(axis: Axis, size: number, dataDir: string): Promise<string[]> {
  const file = join(dataDir, "cookies.json");
  if (existsSync(file)) return JSON.parse(readFileSync(file, "utf8")) as string[];
  mkdirSync(dataDir, { recursive: true });
  let cookies: string[];
  {
    await using first = await RunningServer.start(kind, { dataDir });
    cookies = await parley.sessions(first, USERS);
  }
  axis.fill(join(dataDir, "parley.sqlite"), size);
  writeFileSync(file, JSON.stringify(cookies));
  return cookies;
}

/** Returns the id of #general, which the calls of lists need. */
function generalId({ dataDir }: RunningServer): number {
  using database = new Database(join(dataDir, "parley.sqlite"), { readonly: true });
  const row = database.query<{ id: number }, []>("select id from channels where slug = 'general'").get();
  if (row === null) throw new Error("there is no channel general");
  return row.id;
}

async function measureCalls(axis: Axis, size: number, server: RunningServer, cookies: string[]): Promise<Row> {
  const room = axis.room ?? (await createRoom(server, cookies[0] ?? ""));
  const general = generalId(server);
  const idle: WebSocket[] = [];
  for (let left = axis.sockets?.(size) ?? 0; left > 0; left -= SOCKETS_AT_ONCE) {
    const some = Array.from({ length: Math.min(left, SOCKETS_AT_ONCE) }, () =>
      // Guests: a user may have only some sockets.
      openSocket(server.url, "", "general"),
    );
    idle.push(...(await Promise.all(some)));
  }
  const row: Row = {};
  for (const [name, call] of Object.entries(callsTo(server, cookies, room, general))) {
    const waits: number[] = [];
    for (let n = -CALLS / 3; n < CALLS; n += 1) {
      const started = performance.now();
      await call(Math.abs(n));
      if (n >= 0) waits.push(performance.now() - started);
    }
    row[name] = { p50: median(waits), p99: percentile(waits, 0.99) };
  }
  for (const socket of idle) socket.close();
  return row;
}

async function createRoom(server: RunningServer, cookie: string): Promise<string> {
  const answer = await fetch(`${server.url}/api/channels`, {
    method: "POST",
    headers: { cookie, "content-type": "application/json" },
    body: JSON.stringify({ name: "growth", channel_slug: "growth" }),
  });
  if (answer.status !== 201) throw new Error(`could not create a channel: ${answer.status}`);
  return "growth";
}

useBundle();
// The calls come from few users, one after the other.
const env = (dataDir: string) => ({
  ...parley.env(dataDir),
  PARLEY_RATE_LIMITS: "off",
  PARLEY_CONNECTIONS_PER_ADDRESS: "20000",
});
const kind = { ...parley, env };
const chosen = AXES.filter(({ name }) => values.axis === undefined || name.startsWith(values.axis));
if (chosen.length === 0) throw new Error(`unknown axis; there are: ${AXES.map(({ name }) => name).join(", ")}`);
const measured: GrowthAxis[] = [];
for (const axis of chosen) {
  const sizes = values.large ? [...axis.sizes, axis.large] : [...axis.sizes];
  const rows: Row[] = [];
  for (const size of sizes) {
    console.error(`${axis.name}: ${size}`);
    rows.push(await measure(axis, size));
  }
  const names = Object.keys(rows[0] ?? {});
  const calls = Object.fromEntries(names.map((name) => [name, rows.flatMap((row) => row[name] ?? [])]));
  const grown = { name: axis.name, sizes, calls };
  console.log(`${growthTable(grown)}\n`);
  measured.push(grown);
}
console.error(`${CHANNELS} channels have messages on the first axis; ${CALLS} calls each, ${STARTS} starts.`);
if (values.save !== undefined) {
  const file: GrowthFile = { ...originOfRun(), calls: CALLS, starts: STARTS, axes: measured };
  writeFileSync(values.save, `${JSON.stringify(file, null, 2)}\n`);
}
