import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { residentBytes } from "../procfs.ts";
import { RunningServer, type ServerKind } from "../servers/server.ts";
import type { Case, Measurement, Scenario } from "../suite.ts";

const EXECUTABLE = new URL("../../dist/parley", import.meta.url).pathname;
const IDLE_MS = 2000;

async function start(kind: ServerKind, dataDir: string, command: string[]): Promise<Measurement> {
  await using server = await RunningServer.start(kind, { dataDir, command, pinned: false });
  await Bun.sleep(IDLE_MS);
  const idleMb = residentBytes(server.pid) / 2 ** 20;
  return { value: server.readyMs, details: { idle_resident_mb: idleMb }, faults: [] };
}

function bootCase(name: string, existing: boolean, servers: Case["servers"], command?: string[]): Case {
  return {
    name,
    unit: "ms to ready",
    servers,
    async measure(_bench, kind) {
      const dataDir = mkdtempSync(join(tmpdir(), "parley-bench-boot-"));
      try {
        const first = await start(kind, dataDir, command ?? kind.command());
        return existing ? await start(kind, dataDir, command ?? kind.command()) : first;
      } finally {
        rmSync(dataDir, { recursive: true, force: true });
      }
    },
  };
}

/** From the start of the process to the first good answer, and what it holds when idle. Not pinned to one core. */
export const boot: Scenario = {
  name: "boot",
  about: "start to ready on a fresh and on an existing folder, and the idle process's memory",
  cases: () => [
    bootCase("source, fresh folder", false, ["parley", "express", "bare-bun"]),
    bootCase("source, existing folder", true, ["parley"]),
    ...(existsSync(EXECUTABLE)
      ? [
          bootCase("executable, fresh folder", false, ["parley"], [EXECUTABLE, "serve"]),
          bootCase("executable, existing folder", true, ["parley"], [EXECUTABLE, "serve"]),
        ]
      : []),
  ],
};
