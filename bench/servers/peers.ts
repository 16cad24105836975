import { existsSync, readFileSync } from "node:fs";
import type { ServerKind } from "./server.ts";

const PEERS = new URL("../peers/", import.meta.url).pathname;

let rooms = 0;
const peer = {
  sessions: (_server, count) => Promise.resolve(Array.from({ length: count }, (_, i) => `session=session-${i}`)),
  createRoom: () => {
    rooms += 1;
    return Promise.resolve(`bench-${rooms}`);
  },
} satisfies Partial<ServerKind>;

/** Express 5, Socket.IO 4, better-sqlite3 in WAL with synchronous=FULL. */
export const express: ServerKind = {
  ...peer,
  name: "express",
  title: "express + socket.io + better-sqlite3",
  protocol: "socket.io",
  lacks: ["rights", "limits", "resuming"],
  command: () => [peerNode(), `${PEERS}express.mjs`],
  env: (dataDir) => ({ NODE_ENV: "production", BENCH_DATA_DIR: dataDir }),
};

/** Bun.serve alone, without storage. */
export const bareBun: ServerKind = {
  ...peer,
  name: "bare-bun",
  title: "bare Bun.serve",
  protocol: "parley",
  lacks: ["messages on disk", "accounts and rights", "limits"],
  command: () => [process.execPath, `${PEERS}bare-bun.ts`],
  env: () => ({ NODE_ENV: "production" }),
};

/** The package `ws` alone on Node, without storage. */
export const ws: ServerKind = {
  ...peer,
  name: "ws",
  title: "ws on Node",
  protocol: "parley",
  lacks: ["messages on disk", "accounts and rights", "limits"],
  command: () => [peerNode(), `${PEERS}ws.mjs`],
  env: () => ({ NODE_ENV: "production" }),
};

/** Returns the Node from the peers' lock file if it is installed (better-sqlite3 13 needs 22), else the system's. */
export function peerNode(): string {
  const pinnedNode = `${PEERS}node_modules/node-linux-${process.arch}/bin/node`;
  return existsSync(pinnedNode) ? pinnedNode : (Bun.which("node") ?? "node");
}

/** Installs the peers from their own lock file if they are missing or older than it. */
export async function installPeers(): Promise<void> {
  const installed = Bun.file(`${PEERS}node_modules/.package-lock.json`);
  const lock = Bun.file(`${PEERS}package-lock.json`);
  if ((await installed.exists()) && installed.lastModified >= lock.lastModified) return;
  console.error("Installing the dependencies of the peers in bench/peers ...");
  // The packages contain prebuilt binaries; their install scripts would compile them again.
  const npm = Bun.spawn(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
    cwd: PEERS,
    stdio: ["ignore", "ignore", "inherit"],
  });
  if ((await npm.exited) !== 0) throw new Error("npm ci in bench/peers failed");
}

/** Returns the versions of the peers' dependencies, for the record. */
export function peerVersions(): Record<string, string> {
  const { dependencies } = JSON.parse(readFileSync(`${PEERS}package.json`, "utf8")) as {
    dependencies: Record<string, string>;
  };
  const node = Bun.spawnSync([peerNode(), "--version"]).stdout.toString().trim();
  return { node, ...dependencies };
}
