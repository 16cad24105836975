import type { Channel } from "../../channels/channel.ts";
import type { AppContext } from "../../context.ts";
import { fail } from "../../errors.ts";
import { firstSeqAbove } from "../../event-log/first-since.ts";
import { channelState, newestMessageId } from "../../event-log/rows.ts";
import { findMessage } from "../messages.store.ts";

/** Where a cursor stands among a channel's messages. */
export interface Place {
  /** Messages before the cursor have a smaller seq. */
  seq: number;
  /** Messages after the cursor have a larger seq. */
  after: number;
}

/**
 * Returns the place of a message id. The id of a message that was removed for good counts as the place where it was
 * (protocol §13.8). Errors: `invalid_cursor`.
 */
export async function placeOf(ctx: AppContext, { id: channelId }: Channel, messageId: number): Promise<Place> {
  const row = await findMessage(ctx.db, messageId);
  if (row?.channel_id === channelId) return { seq: row.seq, after: row.seq };
  if (row !== undefined || messageId > (await newestMessageId(ctx.db)))
    throw fail("invalid_cursor", { message: "The cursor is not a message of this channel." });
  const lastSeq = (await channelState(ctx.db, channelId))?.last_seq ?? 0;
  const seq = await firstSeqAbove(ctx.db, channelId, lastSeq, messageId);
  return { seq, after: seq - 1 };
}
