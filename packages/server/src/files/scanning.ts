import { runOnOne } from "../cluster/duties.ts";
import { type AppContext, perServer } from "../context.ts";
import { fail } from "../errors.ts";
import { keyOf } from "./blobs.store.ts";
import * as store from "./files.store.ts";
import { type FileScanner, fileScanner } from "./scan/scan.ts";
import { fileStorage } from "./storage/open-storage.ts";
import { UploadFolder } from "./upload/upload-folder.ts";

const RESCAN_MS = 20_000;
const RESCAN_MAX = 20;
/** Files of a pass at most, with those whose bytes are lost. */
const LOOKED_AT_MAX = 200;

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

/** The last file that was looked at: the next pass begins after it, so that none holds up the others. */
const place = perServer(() => ({ after: 0 }));

/** One pass over files that wait, at most `RESCAN_MAX`. It ends when the scanner does not answer. */
export async function rescan(ctx: AppContext): Promise<void> {
  const scanner = fileScanner(ctx);
  if (scanner === null) return;
  const at = place(ctx);
  let scanned = 0;
  for (let seen = 0; seen < LOOKED_AT_MAX && scanned < RESCAN_MAX; ) {
    const rows = await store.scanningFiles(ctx.db, at.after, RESCAN_MAX);
    if (rows.length === 0) at.after = 0;
    if (rows.length === 0) return;
    for (const row of rows) {
      at.after = row.id;
      seen += 1;
      const verdict = await scanAgain(ctx, scanner, row);
      if (verdict === "unavailable") return;
      if (verdict !== "lost") scanned += 1;
    }
  }
}

/** Scans a file that is stored. Returns `lost` if its bytes cannot be read; other files may be readable. */
async function scanAgain(ctx: AppContext, scanner: FileScanner, row: store.FileRow) {
  const storage = fileStorage(ctx);
  await using folder = new UploadFolder(storage.incoming, Buffer.from(ctx.clock.random(12)).toString("hex"));
  try {
    const bytes = await storage.read(await keyOf(ctx.db, row.sha256));
    if (bytes === null) throw new Error("the storage has lost the file");
    await Bun.write(folder.original, new Response(bytes));
  } catch (error) {
    ctx.log.error({ err: error, fileId: row.id }, "a file that waits for the virus scanner cannot be read");
    return "lost";
  }
  const verdict = await scanner.scan(folder.original);
  if (verdict === "unavailable") return verdict;
  await store.moveStatus(ctx.db, row.id, "scanning", verdict === "clean" ? "ready" : "blocked");
  if (verdict === "found") ctx.log.warn({ fileId: row.id, name: row.name }, "the virus scanner blocked a file");
  return verdict;
}
