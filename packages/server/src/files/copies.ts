import { RATES } from "@parley/protocol/limits";
import { lockAccount } from "../accounts/erase/erase.ts";
import type { AppContext } from "../context.ts";
import { transact } from "../db/transact.ts";
import { fail } from "../errors.ts";
import type { UserIdentity } from "../http/identity.ts";
import { rateLimited } from "../http/rates.ts";
import * as blobs from "./blobs.store.ts";
import * as store from "./files.store.ts";
import { hashesOf, removeUnsent } from "./removal.ts";
import { newKey } from "./storage/file-storage.ts";
import { quotaReached } from "./upload/upload-room.ts";

const MIB = 1024 * 1024;

/**
 * Makes files of a user with the bytes of others, as if they had uploaded them again, and returns their ids in the same
 * order. The bytes are stored once: each copy is a reference to them, and counts against the user's quota. It decides on
 * no right. Each copy counts as an upload. A copy that is not sent goes as other unsent files do.
 * Errors: `rate_limited`, `session_required`, `file_not_found`, `file_not_ready`, `file_blocked`, `quota_reached`.
 */
export async function copyFiles(ctx: AppContext, caller: UserIdentity, ids: readonly number[]): Promise<number[]> {
  await takeUploads(ctx, caller, ids.length);
  try {
    return await storeCopies(ctx, caller, ids);
  } catch (error) {
    giveBack(ctx, caller, ids.length);
    throw error;
  }
}

/** Removes copies that no message has got; they do not count as uploads any more. Needs nobody's right. */
export async function dropCopies(ctx: AppContext, caller: UserIdentity, copies: readonly number[]): Promise<void> {
  giveBack(ctx, caller, copies.length);
  await removeUnsent(ctx.root, copies);
}

/** Takes from what the user may upload in a minute: for all files, or nothing. Errors: `rate_limited`. */
async function takeUploads(ctx: AppContext, caller: UserIdentity, count: number): Promise<void> {
  for (let taken = 0; taken < count; taken += 1) {
    const decision = await ctx.limiter.take(RATES.files, caller.key);
    if (decision.allowed) continue;
    giveBack(ctx, caller, taken);
    throw rateLimited(decision);
  }
}

function giveBack(ctx: AppContext, { key }: UserIdentity, count: number): void {
  for (let given = 0; given < count; given += 1) ctx.limiter.giveBack(RATES.files, key);
}

function storeCopies(ctx: AppContext, caller: UserIdentity, ids: readonly number[]): Promise<number[]> {
  return transact(ctx, async (ctx) => {
    if (!(await lockAccount(ctx, caller.userId))) throw fail("session_required");
    // Held: their references keep the bytes until the copies have theirs.
    const rows = new Map((await store.holdFiles(ctx.db, ids)).map((row) => [row.id, row]));
    const files = ids.map((id) => copyable(rows.get(id)));
    const bytes = files.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
    const quota = ctx.config.fileQuotaMib * MIB;
    if (!(await blobs.addUsage(ctx.db, caller.key, bytes, quota)))
      throw quotaReached(quota, await blobs.usageOf(ctx.db, caller.key));
    const hashes = files.flatMap(hashesOf).sort();
    for (const sha256 of hashes) {
      const { isOnly } = await blobs.addReference(ctx.db, { sha256, size: 0 }, newKey(ctx.clock, sha256));
      if (isOnly) throw fail("file_not_found", { message: "The bytes of this file are gone." });
    }
    const copies: number[] = [];
    for (const { id: _, ...file } of files)
      copies.push(
        await store.insertFile(ctx.db, {
          ...file,
          user_id: caller.userId,
          agent_id: null,
          uploader_name: caller.username,
          channel_id: null,
          message_id: null,
          created_at: ctx.clock.now(),
          kept_until: null,
        }),
      );
    return copies;
  });
}

function copyable(row: store.FileRow | undefined): store.FileRow {
  if (row === undefined || row.status === "storing") throw fail("file_not_found");
  if (row.status === "scanning") throw fail("file_not_ready", { retryAfter: 5 });
  if (row.status === "blocked") throw fail("file_blocked");
  return row;
}
