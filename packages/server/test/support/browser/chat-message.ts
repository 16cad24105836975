import type { ChatMessage } from "@parley/protocol/models";

/** A message as the server sends it: the first one by ann in #general, with the given changes. */
export function chatMessage(over: Partial<ChatMessage> = {}): ChatMessage {
  return {
    id: 7,
    channel_id: 1,
    channel_slug: "general",
    seq: 3,
    type: "text",
    content: "hello",
    sender_type: "user",
    username: "ann",
    agent_name: null,
    agent_id: null,
    client_msg_id: null,
    reply_to_id: null,
    mentions: [],
    sticker: null,
    packet_id: null,
    thread_root_id: null,
    also_in_channel: false,
    thread: null,
    files: [],
    reactions: [],
    is_pinned: false,
    pinned_at: null,
    pinned_by: null,
    edited_at: null,
    is_deleted: false,
    expires_at: null,
    created_at: "2026-01-01T00:00:00.000Z",
    ...over,
  };
}
