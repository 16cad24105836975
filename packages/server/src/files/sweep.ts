import { startBackgroundJob } from "../base/background-job.ts";
import { runOnOne } from "../cluster/duties.ts";
import { type AppContext, perServer } from "../context.ts";
import { transact } from "../db/transact.ts";
import * as blobs from "./blobs.store.ts";
import * as store from "./files.store.ts";
import { removeFilesOfMessages, removeUnsent } from "./removal.ts";
import { FileCopies } from "./replica/file-copies.ts";
import { hasFilesInReplica, keptMs } from "./replica/replica-files.ts";
import { UNSENT_MS } from "./sending.ts";
import { fileCopies, fileStorage } from "./storage/open-storage.ts";

const SWEEP_MS = 60_000;
const SWEEP_MAX = 500;
/** After this time nobody stores an upload any more. */
const STORING_MS = 60 * 60_000;
/** Somebody who was allowed to read the file may be reading it. */
const REST_MS = 60_000;
/** Failed removals after which a sweep takes the storage for absent. */
const FAILURES_MAX = 3;

/** Where the search for files without a message ended: a few are looked at in each sweep. */
const place = perServer(() => ({ after: 0 }));

/**
 * Removes, every minute, files that were not sent in time, files whose message another release deleted, and bytes that
 * nothing refers to; until the server closes.
 */
export function startFileSweep(ctx: AppContext): void {
  runOnOne(ctx, "sweep files", SWEEP_MS, "the sweep of files failed", () => sweepFiles(ctx));
  if (hasFilesInReplica(ctx.config)) startFileCopies(ctx);
}

/** Copies files to the replica that it does not have: at the start, and while it could not be written. */
function startFileCopies(ctx: AppContext): void {
  startBackgroundJob(ctx, FileCopies.retryMs, "copying files to the replica failed", () => fileCopies(ctx).pass());
}

export async function sweepFiles(ctx: AppContext): Promise<void> {
  const now = ctx.clock.now();
  const times = { now, before: now - UNSENT_MS, begun: now - STORING_MS };
  await removeUnsent(ctx, await store.abandoned(ctx.db, times, SWEEP_MAX));
  const at = place(ctx);
  const { messageIds, last } = await store.orphansAfter(ctx.db, at.after, SWEEP_MAX);
  at.after = last ?? 0;
  if (messageIds.length > 0) await transact(ctx, (ctx) => removeFilesOfMessages(ctx, messageIds));
  for (const sha256 of await blobs.unusedBlobs(ctx.db, now - REST_MS, SWEEP_MAX))
    await transact(ctx, (ctx) => blobs.retire(ctx.db, sha256, now));
  await removeBytes(ctx);
}

/**
 * Removes what was retired. However late a removal happens, even after its node was taken for dead, it hits no bytes that
 * were uploaded since: these have another key.
 */
async function removeBytes(ctx: AppContext): Promise<void> {
  let failures = 0;
  // A database that is restored to an earlier time finds them.
  const until = ctx.clock.now() - keptMs(ctx.config);
  for (const key of await blobs.keysToRemove(ctx.db, until, SWEEP_MAX)) {
    try {
      await fileStorage(ctx).remove(key);
      await blobs.keyRemoved(ctx.db, key);
    } catch (error) {
      if (++failures === FAILURES_MAX) throw error;
      await blobs.postponeRemoval(ctx.db, key, until);
    }
  }
}
