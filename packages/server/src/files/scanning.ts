import { runOnOne } from "../cluster/duties.ts";
import type { AppContext } from "../context.ts";
import { fail } from "../errors.ts";
import * as store from "./files.store.ts";
import { fileScanner } from "./scan/scanner.ts";
import { fileStorage } from "./storage/open-storage.ts";
import { UploadFolder } from "./upload/upload-folder.ts";

const RESCAN_MS = 20_000;
const RESCAN_MAX = 20;

/**
 * Scans an uploaded file before it is stored. Returns `scanning` if the scanner does not answer: the file is scanned
 * later, and until then it can be neither sent nor read. Errors: `file_blocked`, which is logged.
 */
export async function scanNew(ctx: AppContext, path: string, name: string): Promise<"ready" | "scanning"> {
  const scanner = fileScanner(ctx);
  if (scanner === null) return "ready";
  const verdict = await scanner.scan(path);
  if (verdict === "unavailable") return "scanning";
  if (verdict === "clean") return "ready";
  ctx.log.warn({ name }, "the virus scanner refused an upload");
  throw fail("file_blocked");
}

/** Scans files that could not be scanned when they were uploaded, until the server closes. */
export function startRescans(ctx: AppContext): void {
  if (fileScanner(ctx) === null) return;
  runOnOne(ctx, "scan files", RESCAN_MS, "scanning files failed", () => rescan(ctx));
}

/** One pass over the files that wait. It ends when the scanner does not answer. */
export async function rescan(ctx: AppContext): Promise<void> {
  const scanner = fileScanner(ctx);
  if (scanner === null) return;
  for (const row of await store.scanningFiles(ctx.db, RESCAN_MAX)) {
    const storage = fileStorage(ctx);
    const bytes = await storage.read(row.sha256);
    if (bytes === null) continue;
    await using folder = new UploadFolder(storage.incoming, Buffer.from(ctx.clock.random(12)).toString("hex"));
    await Bun.write(folder.original, new Response(bytes));
    const verdict = await scanner.scan(folder.original);
    if (verdict === "unavailable") return;
    await store.moveStatus(ctx.db, row.id, "scanning", verdict === "clean" ? "ready" : "blocked");
    if (verdict === "found") ctx.log.warn({ fileId: row.id, name: row.name }, "the virus scanner blocked a file");
  }
}
