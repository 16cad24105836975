import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Config } from "../../src/config/config.ts";
import { ConfigError, type Environment, loadConfig } from "../../src/config/load-config.ts";

const PREFIX = "parley-test-";
let isSwept = false;

/** A fresh folder. Nobody is told when a process of tests ends, so the next one that wants a folder takes away what the ended have left. */
export function temporaryFolder(): string {
  if (!isSwept) sweep();
  isSwept = true;
  return mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
}

function sweep(): void {
  for (const name of readdirSync(tmpdir())) {
    const [, pid] = new RegExp(`^${PREFIX}(\\d+)-`).exec(name) ?? [];
    if (pid === undefined || isAlive(Number(pid))) continue;
    try {
      rmSync(join(tmpdir(), name), { recursive: true, force: true });
    } catch {
      // Another process is taking it away.
    }
  }
}

/** Is there such a process? One of somebody else's counts, too. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/**
 * The defaults of development with a data folder of its own, any free port, no logs and no way to the networks. The environment is not
 * looked at.
 */
export function testConfig(overrides: Partial<Config> = {}): Config {
  const dataDir = overrides.dataDir ?? temporaryFolder();
  const defaults = loadConfig({
    PORT: "0",
    PARLEY_DATA_DIR: dataDir,
    PARLEY_LOG_LEVEL: "silent",
    PARLEY_BLUESKY_API_URL: "off",
  });
  return Object.freeze({ ...defaults, ...overrides });
}

/** Why a server with these settings does not start; none: it would. */
export function problemsOf(env: Environment): readonly string[] {
  try {
    loadConfig(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}
