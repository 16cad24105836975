import { DELETED_USER } from "@parley/protocol/privacy";
import type { AppContext } from "../context.ts";
import { transact } from "../db/transact.ts";
import type { ErasingStep } from "../erasure.ts";
import * as blobs from "./blobs.store.ts";
import { forgetUsage } from "./blobs.store.ts";
import * as store from "./files.store.ts";
import { disownFiles, filesOfUser } from "./files.store.ts";

/** Whose quota counts a file: the user's or the agent's; null after the user's account was deleted. */
const ownerOf = ({ user_id, agent_id }: store.FileRow): string | null =>
  user_id !== null ? `u${user_id}` : agent_id !== null ? `a${agent_id}` : null;

/** The hashes of a file and its previews. */
export const hashesOf = ({ sha256, small_sha256, large_sha256 }: store.FileRow): string[] =>
  [sha256, small_sha256, large_sha256].filter((hash) => hash !== null);

/**
 * Ends the access to the files of these messages, in the caller's transaction. Their bytes are removed within 10
 * minutes, if no other file has the same.
 */
export async function removeFilesOfMessages(ctx: AppContext, messageIds: readonly number[]): Promise<void> {
  if (messageIds.length > 0) await release(ctx, await store.deleteOfMessages(ctx.db, messageIds));
}

/** Ends the access to all files of a channel that is deleted for good, in the caller's transaction. */
export async function removeFilesOfChannel(ctx: AppContext, channelId: number): Promise<void> {
  await release(ctx, await store.deleteOfChannel(ctx.db, channelId));
}

/** Removes those of the files that were not sent. Returns how many. */
export function removeUnsent(ctx: AppContext, ids: readonly number[]): Promise<number> {
  if (ids.length === 0) return Promise.resolve(0);
  return transact(ctx, async (ctx) => {
    const removed = await store.deleteUnsent(ctx.db, ids);
    await release(ctx, removed);
    return removed.length;
  });
}

/** Gives back what the rows of deleted files took: their owners' quotas, and the references to bytes. */
async function release(ctx: AppContext, rows: readonly store.FileRow[]): Promise<void> {
  const bytes = new Map<string, number>();
  const counts = new Map<string, number>();
  const imported = await store.importedAmong(
    ctx.db,
    rows.map(({ id }) => id),
  );
  for (const row of rows) {
    // Imported files never counted against a quota.
    const owner = imported.has(row.id) ? null : ownerOf(row);
    if (owner !== null) bytes.set(owner, (bytes.get(owner) ?? 0) + row.size_bytes);
    for (const hash of hashesOf(row)) counts.set(hash, (counts.get(hash) ?? 0) + 1);
  }
  // In order, so that two transactions do not deadlock.
  for (const [owner, sum] of sorted(bytes)) await blobs.reduceUsage(ctx.db, owner, sum);
  await dropReferences(ctx, counts);
}

/** Removes so many references to the bytes of each hash, in the caller's transaction. */
export async function dropReferences(ctx: AppContext, counts: ReadonlyMap<string, number>): Promise<void> {
  let freed = 0;
  for (const [hash, count] of sorted(counts)) freed += await blobs.dropReferences(ctx.db, hash, count, ctx.clock.now());
  if (freed > 0) await blobs.reduceUsage(ctx.db, blobs.ALL, freed);
}

const sorted = (map: ReadonlyMap<string, number>): [string, number][] => [...map].sort(([a], [b]) => (a < b ? -1 : 1));

const FILES = 200;

/**
 * Removes the user's files that were not sent. The others belong to their messages, like the text, and stay without the
 * user's name.
 */
export const eraseFiles: ErasingStep = async (ctx, { userId }, { a: after }) => {
  const rows = await filesOfUser(ctx.db, userId, after, FILES);
  const unsent = rows.filter(({ message_id }) => message_id === null).map(({ id }) => id);
  await removeUnsent(ctx, unsent);
  const sent = rows.filter(({ message_id }) => message_id !== null).map(({ id }) => id);
  if (sent.length > 0) await disownFiles(ctx.db, sent, DELETED_USER);
  const last = rows.at(-1);
  if (last !== undefined && rows.length === FILES) return { a: last.id, b: 0 };
  await forgetUsage(ctx.db, `u${userId}`);
  return null;
};
