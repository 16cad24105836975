import type { AppContext } from "../../context.ts";
import { keyOf } from "../blobs.store.ts";
import type { FileRow } from "../files.store.ts";
import { fileStorage } from "../storage/open-storage.ts";
import type { Served } from "./file-response.ts";

/** Returns the preview of that size; null for a file without one. A picture that is small has only the small one. */
export async function servedPreview(ctx: AppContext, row: FileRow, size: 480 | 1280): Promise<Served | null> {
  const sha256 = size === 1280 ? (row.large_sha256 ?? row.small_sha256) : row.small_sha256;
  const length = sha256 === null ? null : await fileStorage(ctx).size(await keyOf(ctx.db, sha256));
  if (sha256 === null || length === null) return null;
  const name = `${row.name.replace(/\.[^.]*$/, "")}-${size}.webp`;
  return { sha256, size: length, mimeType: "image/webp", name };
}
