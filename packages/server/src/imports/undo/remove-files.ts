import { rm } from "node:fs/promises";
import { join } from "node:path";
import { importsFolder, stagePath } from "../run/staged.ts";

/**
 * Removes the files of an import that was undone: its report, which has the names of people, and the stage that an
 * unfinished one has left, which has their words.
 */
export async function removeFiles(
  dataDir: string,
  { id, fingerprint }: { id: number; fingerprint: string },
): Promise<void> {
  await rm(join(importsFolder(dataDir), String(id)), { recursive: true, force: true });
  await rm(stagePath(dataDir, fingerprint), { force: true });
}
