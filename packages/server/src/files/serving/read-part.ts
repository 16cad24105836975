import type { FileRecord } from "@parley/protocol/files";
import type { AppContext } from "../../context.ts";
import { fail } from "../../errors.ts";
import type { Identity } from "../../http/identity.ts";
import { readableBytes } from "../access.ts";
import { keyOf } from "../blobs.store.ts";
import { fileStorage } from "../storage/open-storage.ts";
import { servedPreview } from "./file-response.ts";

/**
 * Returns the beginning of a file that the caller may read, at most `most` bytes, in memory. Errors: those of
 * `readableBytes`; `file_not_found` if the storage has lost the bytes.
 */
export async function readBeginning(
  ctx: AppContext,
  caller: Identity,
  file: FileRecord,
  most: number,
): Promise<Buffer> {
  const { sha256, size_bytes: size } = await readableBytes(ctx, caller, file.file_id);
  return bytesOf(ctx, sha256, Math.min(size, most));
}

/** Returns the largest preview of a picture that has at most `most` bytes; null if there is none. */
export async function readPreview(
  ctx: AppContext,
  caller: Identity,
  file: FileRecord,
  most: number,
): Promise<{ bytes: Buffer; mimeType: string } | null> {
  const row = await readableBytes(ctx, caller, file.file_id);
  for (const side of [1280, 480] as const) {
    const preview = await servedPreview(ctx, row, side);
    if (preview === null || preview.size > most) continue;
    return { bytes: await bytesOf(ctx, preview.sha256, preview.size), mimeType: preview.mimeType };
  }
  return null;
}

async function bytesOf(ctx: AppContext, sha256: string, length: number): Promise<Buffer> {
  const bytes = await fileStorage(ctx).read(await keyOf(ctx.db, sha256), { from: 0, to: length - 1 });
  if (bytes === null) throw fail("file_not_found");
  return Buffer.from(await new Response(bytes).arrayBuffer());
}
