import { Database } from "bun:sqlite";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parley, untilIndexed } from "../servers/parley.ts";
import { RunningServer, type ServerKind } from "../servers/server.ts";
import { median } from "../statistics.ts";
import { createRoom, measureCalls, openSocket, type Row } from "./calls.ts";
import { adviseOnPorts } from "./ports.ts";

/** Users who send: with one request in flight, few are enough. */
export const USERS = 8;
/** Starts that are measured. */
export const STARTS = 3;
const SOCKETS_AT_ONCE = 100;

/** The way in which a lone server grows. */
export interface LoneGrowth {
  /** Grows the database of a stopped server. */
  fill?(file: string, size: number): void;
  /** The room that is called; a new one without. */
  room?: string;
  /** True if as many sockets as the size stay open in another room. */
  hasSockets?: boolean;
}

/** Where a filled database is, and whether it stays there for another run. */
interface Folder {
  path: string;
  isKept: boolean;
}

// The calls come from few users, one after the other.
const env = (dataDir: string): Record<string, string> => ({
  ...parley.env(dataDir),
  PARLEY_RATE_LIMITS: "off",
  PARLEY_CONNECTIONS_PER_ADDRESS: "20000",
});
const kind: ServerKind = { ...parley, env };
/** Returns a folder of this name in `keep`, or one that is removed after the measurement. */
export function folderFor(name: string, keep: string | undefined): Folder {
  if (keep !== undefined) return { path: join(keep, name), isKept: true };
  return { path: mkdtempSync(join(tmpdir(), "parley-bench-growth-")), isKept: false };
}

/** Measures one size: fills the database, starts the server a few times and calls it. */
export async function measureLone(growth: LoneGrowth, size: number, folder: Folder): Promise<Row> {
  const { path: dataDir } = folder;
  try {
    const cookies = await filled(growth, size, dataDir);
    const row: Row = {};
    const starts: number[] = [];
    // The first start counts the new rows and begins the index.
    for (let n = 0; n <= STARTS; n += 1) {
      await using server = await RunningServer.start(kind, { dataDir });
      if (n > 0) starts.push(server.readyMs);
      if (n === 0) await untilIndexed(server);
      if (n === STARTS) Object.assign(row, await callAll(growth, size, server, cookies));
    }
    row.start = { p50: median(starts), p99: Math.max(...starts) };
    return row;
  } finally {
    if (!folder.isKept) rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Fills a database, unless an earlier run has. Returns the cookies of its users. */
async function filled(growth: LoneGrowth, size: number, dataDir: string): Promise<string[]> {
  const file = join(dataDir, "cookies.json");
  if (existsSync(file)) return JSON.parse(readFileSync(file, "utf8")) as string[];
  mkdirSync(dataDir, { recursive: true });
  let cookies: string[];
  {
    await using first = await RunningServer.start(kind, { dataDir });
    cookies = await parley.sessions(first, USERS);
  }
  growth.fill?.(join(dataDir, "parley.sqlite"), size);
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

async function callAll(growth: LoneGrowth, size: number, server: RunningServer, cookies: string[]): Promise<Row> {
  const room = growth.room ?? (await createRoom(server, cookies[0] ?? ""));
  const idle: WebSocket[] = [];
  if (growth.hasSockets === true) adviseOnPorts(size);
  for (let left = growth.hasSockets === true ? size : 0; left > 0; left -= SOCKETS_AT_ONCE) {
    const some = Array.from({ length: Math.min(left, SOCKETS_AT_ONCE) }, () =>
      // Guests: a user may have only some sockets.
      openSocket(server.url, "", "general"),
    );
    idle.push(...(await Promise.all(some)));
  }
  const row = await measureCalls(server, { cookies, room, listed: generalId(server) });
  for (const socket of idle) socket.close();
  return row;
}
