import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { residentBytes } from "../procfs.ts";
import { RunningServer, type ServerKind } from "../servers/server.ts";
import type { Case, Measurement, Scenario } from "../suite.ts";

const EXECUTABLE = new URL("../../dist/parley", import.meta.url).pathname;
/** The command of users. npm and Node run before the server; Node checks whether the sources have changed. */
const NPM_START = ["npm", "start"];
const IDLE_MS = 2000;

interface Start {
  name: string;
  /** Default: the server's own. */
  command?: string[];
  servers?: Case["servers"];
  /** True for a folder that a first start has initialized. */
  existing: boolean;
}

async function start(kind: ServerKind, dataDir: string, command = kind.command(dataDir)): Promise<Measurement> {
  await using server = await RunningServer.start(kind, { dataDir, command, pinned: false });
  // Under npm, the spawned process is not the server.
  if (command === NPM_START) return { value: server.readyMs, details: {}, faults: [] };
  await Bun.sleep(IDLE_MS);
  const idleMb = residentBytes(server.pid) / 2 ** 20;
  return { value: server.readyMs, details: { idle_resident_mb: idleMb }, faults: [] };
}

function bootCase({ name, command, servers = ["parley"], existing }: Start): Case {
  return {
    name: `${name}, ${existing ? "existing" : "fresh"} folder`,
    unit: "ms to ready",
    servers,
    async measure(_bench, kind) {
      const dataDir = mkdtempSync(join(tmpdir(), "parley-bench-boot-"));
      try {
        const first = await start(kind, dataDir, command);
        return existing ? await start(kind, dataDir, command) : first;
      } finally {
        rmSync(dataDir, { recursive: true, force: true });
      }
    },
  };
}

/** Measures the time from the start of the process to the first successful response, and the idle memory, on all cores. */
export const boot: Scenario = {
  name: "boot",
  about: "time from start to ready on a fresh and on an existing folder, and idle memory",
  cases: () => [
    bootCase({ name: "bundle", servers: ["parley", "express", "bare-bun"], existing: false }),
    bootCase({ name: "bundle", existing: true }),
    bootCase({ name: "all of npm start", command: NPM_START, existing: true }),
    ...(existsSync(EXECUTABLE) ? [false, true] : []).map((existing) =>
      bootCase({ name: "executable", command: [EXECUTABLE, "serve"], existing }),
    ),
  ],
};
