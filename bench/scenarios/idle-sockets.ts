import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { residentBytes } from "../procfs.ts";
import { RunningServer, type ServerKind } from "../servers/server.ts";
import type { Bench, Case, Measurement, Scenario } from "../suite.ts";
import { openSockets } from "./sockets.ts";

const STAGE = 5000;
const STAGES = 2;
const USERS = 800;
/** Long enough to collect the garbage of the handshakes. */
const SETTLE_MS = 5000;

const memoryCase = (name: string, isUsed: boolean): Case => ({
  name,
  unit: "bytes/socket",
  servers: ["parley", "express", "bare-bun"],
  maxRounds: 2,
  async measure(bench, kind) {
    const dataDir = mkdtempSync(join(tmpdir(), "parley-bench-idle-"));
    try {
      return await memoryPerSocket(bench, kind, dataDir, isUsed);
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  },
});

async function sessionsFrom(kind: ServerKind, dataDir: string): Promise<string[]> {
  await using server = await RunningServer.start(kind, { dataDir });
  return await kind.sessions(server, USERS);
}

/** With `isUsed`, as many sockets as one stage has came and went before: what they left is not part of the cost. */
async function memoryPerSocket(bench: Bench, kind: ServerKind, dataDir: string, isUsed: boolean): Promise<Measurement> {
  // A separate process creates the users: password hashing would leave free memory that hides the cost of sockets.
  const cookies = await sessionsFrom(kind, dataDir);
  await using server = await RunningServer.start(kind, { dataDir });
  if (isUsed) {
    await openSockets(bench, server, { count: STAGE, cookies });
    await bench.load.run({ kind: "join", room: "general" });
    await bench.load.run({ kind: "close" });
    // Users stay in the online list for five seconds.
    await Bun.sleep(2 * SETTLE_MS);
  }
  // Opens a few sockets first to warm up the code, which is not part of the cost of a socket.
  await openSockets(bench, server, { count: 200, cookies: [] });
  await bench.load.run({ kind: "join", room: "general" });
  await Bun.sleep(SETTLE_MS);
  const resident = [residentBytes(server.pid)];
  for (let stage = 0; stage < STAGES; stage += 1) {
    const half = cookies.slice((stage * USERS) / STAGES, ((stage + 1) * USERS) / STAGES);
    await openSockets(bench, server, { count: STAGE, cookies: half });
    await bench.load.run({ kind: "join", room: "general" });
    await Bun.sleep(SETTLE_MS);
    resident.push(residentBytes(server.pid));
  }
  await bench.load.run({ kind: "close" });
  const [base = 0, first = 0] = resident;
  const last = resident.at(-1) ?? 0;
  return {
    value: (last - base) / (STAGE * STAGES),
    details: {
      resident_mb_before: base / 2 ** 20,
      resident_mb_5000: first / 2 ** 20,
      resident_mb_10000: last / 2 ** 20,
      bytes_per_socket_5000: (first - base) / STAGE,
      bytes_per_socket_second_5000: (last - first) / STAGE,
    },
    faults: [],
  };
}

/** Memory of the server's process per idle socket that has joined a channel. */
export const idleSockets: Scenario = {
  name: "idle-sockets",
  about: "resident memory of a new server, and of one that had 5,000 before, with 0, 5,000 and 10,000 idle sockets",
  cases: () => [
    memoryCase(`${STAGE * STAGES} joined sockets`, false),
    memoryCase(`${STAGE * STAGES} joined sockets, used process`, true),
  ],
};
