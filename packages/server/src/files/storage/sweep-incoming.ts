import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { startBackgroundJob } from "../../base/background-job.ts";
import type { AppContext } from "../../context.ts";
import { StartupError } from "../../db/startup-error.ts";
import type { FileStorage } from "./file-storage.ts";
import { fileStorage } from "./open-storage.ts";

const HOUR_MS = 3_600_000;

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

/**
 * Opens the storage, and keeps its folder for uploads clean until the server closes. Throws `StartupError` if the folder
 * cannot be used.
 */
export async function startUploadSweep(ctx: AppContext): Promise<void> {
  const storage = openedStorage(ctx);
  // A lone server has the database, and so the uploads, to itself: what it finds was left by a killed one.
  if (ctx.cluster === null) {
    const left = (await readdir(storage.incoming)).filter((name) => name.startsWith("upload-"));
    for (const name of left) await rm(join(storage.incoming, name), { recursive: true, force: true });
  }
  startBackgroundJob(ctx, HOUR_MS, "sweeping the folder for uploads failed", () =>
    sweepIncoming(storage, ctx.clock.now() - HOUR_MS),
  );
}

function openedStorage(ctx: AppContext): FileStorage {
  try {
    return fileStorage(ctx);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartupError(
      `The folder for files cannot be used: ${reason}. Give the user that runs Parley write access, or choose another place with PARLEY_FILES.`,
      error,
    );
  }
}
