import { sentFields } from "../sent-fields.ts";
import type { Started } from "./start-stream.ts";
import { expiresAt } from "./stream-record.ts";
import type { Finished } from "./streams.service.ts";

/** Returns the answer to the start of a stream. */
export const startedFields = ({ row, channel, deduplicated }: Started) => ({
  stream_id: row.id,
  channel_id: channel.id,
  channel_slug: channel.slug,
  agent_name: row.agent_name,
  state: row.state,
  length: row.length,
  expires_at: expiresAt(row),
  deduplicated,
});

/** Returns the answer to a finish, as JSON. */
export function finishedJson({ posted, streamId, reason }: Finished): string {
  const rest = { success: true, ...sentFields(posted), stream_id: streamId, finish_reason: reason };
  return `${JSON.stringify(rest).slice(0, -1)},"chat_message":${posted.json}}`;
}
