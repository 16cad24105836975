import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { FileStorage } from "./file-storage.ts";

/**
 * Removes what killed servers and commands left in the folder for uploads: everything that nobody has written to since
 * `before`. Returns how many. An upload in progress writes all the time, or is ended after a pause.
 */
export async function sweepIncoming({ incoming }: FileStorage, before: number): Promise<number> {
  let removed = 0;
  for (const name of await readdir(incoming)) {
    const path = join(incoming, name);
    const found = await stat(path).catch(() => null);
    if (found === null || found.mtimeMs >= before) continue;
    await rm(path, { recursive: true, force: true });
    removed++;
  }
  return removed;
}
