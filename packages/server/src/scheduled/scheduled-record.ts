import type { ScheduledMessage } from "@parley/protocol/scheduled";
import { isoTime } from "../base/iso-time.ts";
import { findChannel } from "../channels/channel-cache.ts";
import type { AppContext } from "../context.ts";
import type { ScheduledRow } from "./scheduled.store.ts";

export const fileIdsOf = ({ file_ids }: Pick<ScheduledRow, "file_ids">): number[] =>
  file_ids === null ? [] : (JSON.parse(file_ids) as number[]);

/** Returns the wire record (protocol §13.6). */
export async function scheduledRecord(ctx: AppContext, row: ScheduledRow): Promise<ScheduledMessage> {
  const channel = await findChannel(ctx, { id: row.channel_id });
  return {
    scheduled_id: row.id,
    channel_id: row.channel_id,
    channel_slug: channel?.slug ?? null,
    agent_name: row.agent_name,
    content: row.content,
    reply_to_id: row.reply_to_id,
    thread_root_id: row.thread_root_id,
    also_in_channel: row.also_in_channel === 1,
    file_ids: fileIdsOf(row),
    send_at: isoTime(row.send_at),
    // Being sent takes a moment, and whoever asks in it may still find it waiting.
    status: row.status === "sending" ? "waiting" : row.status,
    failure: row.failure,
    message_id: row.message_id,
    created_at: isoTime(row.created_at),
  };
}
