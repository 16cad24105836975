import { readFileSync, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import type { AppContext } from "../context.ts";
import { repeat } from "../repeat.ts";

const EVERY_MS = 5_000;
/** Of the limit; somebody is told at `many`, and again only when it was `few` meanwhile. */
const MANY = 0.9;
const FEW = 0.8;
const OPEN = "/proc/self/fd";

/**
 * Counts the process's file descriptors and warns before none is left: Bun tells nobody that it can accept no connection, and asks for one
 * again and again (measured, 1.4.5: half a CPU). Only where Linux tells them.
 */
export function startOpenFilesWatch(ctx: AppContext): void {
  const limit = limitOfFiles();
  if (limit === null) return;
  let isTold = false;
  repeat(ctx, EVERY_MS, "open files could not be counted", async () => {
    const open = await countOpen(limit);
    ctx.metrics.openFilesAre({ open, limit });
    if (open < FEW * limit) isTold = false;
    if (open < MANY * limit || isTold) return;
    isTold = true;
    const advice = "raise the hard limit (ulimit -Hn, LimitNOFILE=) and start again";
    ctx.log.warn({ open, limit }, `almost no file descriptors are left, then nobody new can connect: ${advice}`);
  });
}

/** Of this process; Bun has raised it to the hard one. */
function limitOfFiles(): number | null {
  try {
    const found = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
    return found === undefined ? null : Number(found);
  } catch {
    return null; // no Linux
  }
}

async function countOpen(limit: number): Promise<number> {
  // Linux 6.2 and newer tell the number; with older ones the names are read, beside the loop, because with many it takes long.
  const { size } = statSync(OPEN);
  if (size > 0) return size;
  try {
    return (await readdir(OPEN)).length;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EMFILE") return limit;
    throw error;
  }
}
