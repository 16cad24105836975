import { usualFields } from "@parley/protocol/compact";
import type { ChatMessage } from "@parley/protocol/models";

/** A message as the server sends it: the first one by ann in #general, with the given changes. */
export function chatMessage(over: Partial<ChatMessage> = {}): ChatMessage {
  return {
    ...usualFields(),
    id: 7,
    channel_id: 1,
    channel_slug: "general",
    seq: 3,
    content: "hello",
    username: "ann",
    created_at: "2026-01-01T00:00:00.000Z",
    ...over,
  };
}
