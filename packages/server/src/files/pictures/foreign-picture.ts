import type { AppContext } from "../../context.ts";
import { AppError, fail } from "../../errors.ts";
import { slowly } from "../../http/acts/slow.ts";
import * as blobs from "../blobs.store.ts";
import { newKey } from "../storage/file-storage.ts";
import { fileStorage } from "../storage/open-storage.ts";
import { hashFile, UploadFolder } from "../upload/upload-folder.ts";
import { pictureFile } from "./picture-file.ts";

const MIB = 1024 * 1024;
/** Uploads are refused below that share of free space, too. */
const FREE_SHARE_MIN = 0.05;

/** Bytes in the file storage that belong to no file: rows of another slice refer to them. */
export interface KeptBytes {
  sha256: string;
  size_bytes: number;
}

/**
 * Makes a small WebP of a picture that a stranger made, as of an uploaded one, and stores it. `refer` runs in a transaction
 * of its own before the bytes are stored: it calls `addReference` and inserts the row that keeps them. Returns null for
 * what is no picture or is too much work, and `later` if the decoder or the storage has no room for it now. `account`:
 * whose turn at the decoder it takes.
 */
export async function keepSmallPicture(
  ctx: AppContext,
  { account, bytes }: { account: string; bytes: Uint8Array },
  refer: (small: KeptBytes) => Promise<string>,
): Promise<KeptBytes | null | "later"> {
  const storage = fileStorage(ctx);
  const space = await storage.freeBytes();
  if (space !== null && space.free < space.total * FREE_SHARE_MIN) return "later";
  await using folder = new UploadFolder(storage.incoming, Buffer.from(ctx.clock.random(12)).toString("hex"));
  try {
    const original = await folder.write([bytes]);
    const made = await slowly(ctx, "picture", () => pictureFile(ctx, account, folder, original));
    if (made === null || made.small === null) return null;
    const { sha256, size } = await hashFile(made.small);
    const small = { sha256, size_bytes: size };
    const [key, path] = [await refer(small), made.small];
    await slowly(ctx, "storage", () => storage.store(key, path));
    return small;
  } catch (error) {
    // A picture is not worth a complaint: the storage has logged its own, and the others are the picture's fault.
    if (error instanceof AppError) return error.retryAfter === undefined ? null : "later";
    throw error;
  }
}

/**
 * Adds a reference to bytes of that hash, in the caller's transaction, and returns the key to store them under. Errors:
 * `storage_full`.
 */
export async function addReference(ctx: AppContext, { sha256, size_bytes: size }: KeptBytes): Promise<string> {
  const { isOnly, key } = await blobs.addReference(ctx.db, { sha256, size }, newKey(ctx.clock, sha256));
  const { filesTotalMib } = ctx.config;
  const total = filesTotalMib === null ? null : filesTotalMib * MIB;
  if (isOnly && !(await blobs.addUsage(ctx.db, blobs.ALL, size, total))) throw fail("storage_full", { retryAfter: 60 });
  return key;
}
