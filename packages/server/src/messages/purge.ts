import type { AppContext } from "../context.ts";
import { deleteOldestEvents } from "../event-log/rows.ts";
import { removeFilesOfChannel } from "../files/removal.ts";
import { blankChannel, oldestMessages } from "./purge.store.ts";
import { removeMessages } from "./removal.ts";

/**
 * Permanently deletes up to `limit` messages or events of a channel, in the caller's transaction. Returns false if
 * nothing was left except, at most, an empty row: the newest message of all channels keeps its row, because its id must
 * not be reused.
 */
export async function purgeSome(ctx: AppContext, channelId: number, limit: number): Promise<boolean> {
  const ids = await oldestMessages(ctx.db, channelId, limit);
  if (ids.length > 0) {
    await removeMessages(ctx, channelId, ids);
    return true;
  }
  if ((await deleteOldestEvents(ctx.db, channelId, limit)) > 0) return true;
  await removeFilesOfChannel(ctx, channelId);
  await blankChannel(ctx.db, channelId, ctx.clock.now());
  return false;
}
