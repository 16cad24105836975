import type { Posted } from "../messages/append/post-message.ts";

/** Returns what the answer to an agent's send says beside the record. */
export const sentFields = (posted: Posted) => ({
  message_id: posted.id,
  seq: posted.seq,
  channel_id: posted.channelId,
  channel_slug: posted.channelSlug,
  agent_name: posted.agentName,
  mentions: posted.mentions,
  created_at: posted.createdAt,
  deduplicated: posted.deduplicated,
});
