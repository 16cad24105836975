import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { importsFolder } from "./staged.ts";

const KEPT_MS = 30 * 86_400_000;

/**
 * Removes the stages, reports and proposals of imports that nobody has changed for 30 days (protocol §14.1): they have the
 * names and words of people. `now`: epoch milliseconds.
 */
export async function removeOldFiles(dataDir: string, now: number): Promise<void> {
  const folder = importsFolder(dataDir);
  for (const parent of [folder, join(folder, "staged"), join(folder, "dry-run")]) {
    for (const name of await namesIn(parent)) {
      if (parent === folder && (name === "staged" || name === "dry-run")) continue;
      const path = join(parent, name);
      if (now - (await stat(path)).mtimeMs > KEPT_MS) await rm(path, { recursive: true, force: true });
    }
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
