import { serverBundle } from "../../tools/server-bundle.mjs";
import type { RunningServer, ServerKind } from "./server.ts";

const ROOT = new URL("../..", import.meta.url).pathname;

export const PASSWORD = "correct horse battery staple";
/** The server hashes two passwords at once and queues some; it would refuse more. */
const REGISTRATIONS_AT_ONCE = 4;

const sessionsOf = new WeakMap<RunningServer, string[]>();
const rooms = new WeakMap<RunningServer, number>();

let program = ["packages/server/src/main.ts"];

/** Makes servers started from now on run the same program as `npm start`: the bundle of the current sources. */
export function useBundle(): void {
  program = [serverBundle(ROOT, process.execPath)];
}

/**
 * Makes servers started from now on run from their sources, so that the profile names them, and write a CPU profile to
 * the folder when they exit.
 */
export function profileInto(folder: string): void {
  program = ["--cpu-prof", "--cpu-prof-md", `--cpu-prof-dir=${folder}`, "packages/server/src/main.ts"];
}

/** This repository's server: profile development, rate limits on, SQLite in a fresh folder. */
export const parley: ServerKind = {
  name: "parley",
  title: "Parley",
  protocol: "parley",
  lacks: [],
  command: () => [process.execPath, ...program, "serve"],
  env: (dataDir) => ({
    PARLEY_DATA_DIR: dataDir,
    PARLEY_PROFILE: "development",
    PARLEY_RATE_LIMITS: "on",
    // All sockets of the load have one address.
    PARLEY_SOCKETS_PER_ADDRESS: "20000",
    PARLEY_LOG_LEVEL: "warn",
  }),
  settle: (server) => untilIndexed(server),
  async sessions(server, count) {
    const known = sessionsOf.get(server) ?? [];
    sessionsOf.set(server, known);
    const missing: number[] = [];
    for (let i = known.length; i < count; i += 1) missing.push(i);
    const registerNext = async (): Promise<void> => {
      for (let i = missing.shift(); i !== undefined; i = missing.shift()) known[i] = await register(server, i);
    };
    await Promise.all(Array.from({ length: REGISTRATIONS_AT_ONCE }, registerNext));
    return known.slice(0, count);
  },
  async createRoom(server) {
    const [owner] = await parley.sessions(server, 1);
    const number = (rooms.get(server) ?? 0) + 1;
    rooms.set(server, number);
    const slug = `bench-${number}`;
    const answer = await fetch(`${server.url}/api/channels`, {
      method: "POST",
      headers: { "content-type": "application/json", cookie: owner ?? "" },
      body: JSON.stringify({ name: slug, channel_slug: slug }),
    });
    if (answer.status !== 201) throw new Error(`could not create a channel: ${answer.status} ${await answer.text()}`);
    return slug;
  },
};

async function register(server: RunningServer, number: number): Promise<string> {
  const answer = await fetch(`${server.url}/api/auth/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ username: `bench_${number}`, password: PASSWORD }),
  });
  const cookie = answer.headers.getSetCookie().find((value) => value.startsWith("parley_session="));
  if (answer.status !== 201 || !cookie)
    throw new Error(`could not register a user: ${answer.status} ${await answer.text()}`);
  return cookie.slice(0, cookie.indexOf(";"));
}

const INDEX_TIMEOUT_MS = 15 * 60_000;
const PROGRESS_MS = 10_000;

/**
 * Waits until all messages are in the search index, which follows them in the background. Prints the progress. Throws
 * when that takes longer than `ms`.
 */
export async function untilIndexed(server: RunningServer, ms: number = INDEX_TIMEOUT_MS): Promise<void> {
  const started = performance.now();
  let shownAt = started;
  for (let idle = 0; idle < 3; await Bun.sleep(500)) {
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    const lag = Number(/^parley_search_lag_messages (\d+)$/m.exec(metrics)?.[1] ?? Number.NaN);
    idle = lag === 0 ? idle + 1 : 0;
    const now = performance.now();
    if (now - started > ms) throw new Error("the index was not built in time");
    if (now - shownAt < PROGRESS_MS) continue;
    shownAt = now;
    console.error(`  ${lag} messages to index`);
  }
}
