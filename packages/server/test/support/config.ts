import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Config, loadConfig } from "../../src/config.ts";

const folders = new Set<string>();
process.once("exit", () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A fresh folder that is gone when the test process ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "parley-test-"));
  folders.add(folder);
  return folder;
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
