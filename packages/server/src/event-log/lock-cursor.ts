import type { AppContext } from "../context.ts";
import { lockRows } from "../db/dialect.ts";

/**
 * Makes a consumer wait until the transaction ends, or waits for the span that it handles in this channel. Call it
 * before messages are removed that the consumer may have read: what it derives from them is then removed with them, or
 * not made. Call it under the lock of the channel's row.
 */
export async function lockCursor(ctx: AppContext, purpose: string, channelId: number): Promise<void> {
  const cursor = ctx.db
    .selectFrom("channel_cursors")
    .select("seq")
    .where("purpose", "=", purpose)
    .where("channel_id", "=", channelId);
  await lockRows(ctx.db, cursor).execute();
}
