import type { ChatMessage } from "@parley/protocol/models";
import type { Conversation } from "../../model/conversation.ts";
import type { Parley } from "../../session/parley.ts";

/**
 * Marks a conversation as unread from a message on, on all of the user's devices. The user has to leave and open it again
 * to read it. Resolves with false where there is nothing to mark: the user is no member, or does not follow the thread.
 */
export async function markUnreadFrom(
  parley: Parley,
  conversation: Conversation,
  { seq, channel_id }: ChatMessage,
): Promise<boolean> {
  await parley.reading.settled();
  const { rootId } = conversation;
  const { unread_from_seq } =
    rootId === null
      ? await parley.client.channels.markUnread(channel_id, seq)
      : await parley.client.messages.markThreadUnread(rootId, seq);
  if (unread_from_seq === null) return false;
  conversation.markNew(seq - 1);
  return true;
}
