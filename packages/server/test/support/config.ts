import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Config } from "../../src/config/config.ts";
import { ConfigError, type Environment, loadConfig } from "../../src/config/load-config.ts";

const PREFIX = "parley-test-";
let isSwept = false;

/**
 * Creates a new folder. A test process cannot clean up after itself, so the next one deletes the folders of processes
 * that have ended.
 */
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
      // Another test process is removing it.
    }
  }
}

/** Returns whether the process exists, including processes of other users. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/**
 * Returns the development defaults with a new data folder, any free port, a small pool of
 * verification codes, no logs, no previews of links, and no access to social networks.
 * Ignores the environment.
 */
export function testConfig(overrides: Partial<Config> = {}): Config {
  const dataDir = overrides.dataDir ?? temporaryFolder();
  const defaults = loadConfig({
    PORT: "0",
    PARLEY_DATA_DIR: dataDir,
    PARLEY_LOG_LEVEL: "silent",
    PARLEY_BLUESKY_API_URL: "off",
    PARLEY_LINK_PREVIEWS: "false",
    // Filling the usual pool takes a twelfth of the start.
    PARLEY_CODE_POOL: "20",
  });
  return Object.freeze({ ...defaults, ...overrides });
}

/** Returns why a server with these settings refuses to start; empty if it starts. */
export function problemsOf(env: Environment): readonly string[] {
  try {
    loadConfig(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}
