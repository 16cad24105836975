import { readFileSync, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { startBackgroundJob } from "../base/background-job.ts";
import type { AppContext } from "../context.ts";

const EVERY_MS = 5_000;
/** Shares of the limit: warns at `MANY`, and again only after usage has dropped below `FEW`. */
const MANY = 0.9;
const FEW = 0.8;
const OPEN = "/proc/self/fd";

/**
 * Counts the process's file descriptors and warns before none is left: Bun does not report that it cannot accept a
 * connection, and retries in a loop (measured, 1.4.5: half a CPU). Only on Linux, which reports the numbers.
 */
export function startOpenFilesWatch(ctx: AppContext): void {
  const limit = limitOfFiles();
  if (limit === null) return;
  let isTold = false;
  startBackgroundJob(ctx, EVERY_MS, "counting open files failed", async () => {
    const open = await countOpen(limit);
    ctx.metrics.openFilesAre({ open, limit });
    if (open < FEW * limit) isTold = false;
    if (open < MANY * limit || isTold) return;
    isTold = true;
    const advice = "raise the hard limit (ulimit -Hn, LimitNOFILE=) and start again";
    ctx.log.warn(
      { open, limit },
      `almost no file descriptors are left, and without them no new client can connect: ${advice}`,
    );
  });
}

/** Returns the limit of this process; Bun has raised it to the hard limit. */
function limitOfFiles(): number | null {
  try {
    const found = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
    return found === undefined ? null : Number(found);
  } catch {
    return null; // not Linux
  }
}

async function countOpen(limit: number): Promise<number> {
  // Linux 6.2 and newer report the number. On older versions the names are read asynchronously, because that takes long
  // when there are many.
  const { size } = statSync(OPEN);
  if (size > 0) return size;
  try {
    return (await readdir(OPEN)).length;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EMFILE") return limit;
    throw error;
  }
}
