import { statfs } from "node:fs/promises";
import type { AppContext } from "../../context.ts";
import { fail } from "../../errors.ts";
import * as blobs from "../blobs.store.ts";
import { fileStorage } from "../storage/open-storage.ts";
import { type Upload, uploadsRunning } from "./upload-slots.ts";

const MIB = 1024 * 1024;
/** The part of the disk that uploads leave free, for the database. */
const FREE_SHARE = 0.05;
/** Bytes of a body of unknown length for which room is made at a time. */
const STEP = 2 * MIB;

/** Refuses an upload that cannot fit, before its body is read. Errors: `quota_reached`, `storage_full`. */
export async function checkRoom(ctx: AppContext, upload: Upload, declared: number): Promise<void> {
  const quota = ctx.config.fileQuotaMib * MIB;
  const used = await blobs.usageOf(ctx.db, upload.account);
  if (used >= quota) throw quotaReached(quota, used);
  await reserve(ctx, upload, declared);
}

/** Counts bytes that have arrived and makes room for the next. Errors: `quota_reached`, `storage_full`. */
export async function takeRoom(ctx: AppContext, upload: Upload, bytes: number): Promise<void> {
  upload.received += bytes;
  if (upload.received <= upload.reserved) return;
  await reserve(ctx, upload, upload.received + STEP);
  const quota = ctx.config.fileQuotaMib * MIB;
  const arriving = [...uploadsRunning(ctx)].filter(({ account }) => account === upload.account);
  const used = await blobs.usageOf(ctx.db, upload.account);
  if (used + arriving.reduce((sum, { received }) => sum + received, 0) > quota) throw quotaReached(quota, used);
}

/** Reserves room on the disk where uploads arrive; what other uploads have reserved and not yet used counts as taken. */
async function reserve(ctx: AppContext, upload: Upload, bytes: number): Promise<void> {
  upload.reserved = Math.max(bytes, upload.received);
  const { bavail, blocks, bsize } = await statfs(fileStorage(ctx).incoming);
  let pending = 0;
  for (const { reserved, received } of uploadsRunning(ctx)) pending += Math.max(0, reserved - received);
  if (bavail * bsize - pending < FREE_SHARE * blocks * bsize) throw fail("storage_full", { retryAfter: 60 });
}

export const quotaReached = (limit_bytes: number, used_bytes: number) =>
  fail("quota_reached", { details: { limit_bytes, used_bytes } });
