import type { ChatMessage } from "@parley/protocol/models";
import type { UserClient } from "@parley/sdk";
import { Lookup } from "../state/lookup.ts";

const MAX_KEYS = 100;

/**
 * Returns the sources of forwarded messages, by the forwarded ones' ids, as far as the page's user may read them: the
 * server decides with the user's rights of now, and tells nothing of the others.
 */
export const makeForwardSources = (client: UserClient): Lookup<number, ChatMessage> =>
  new Lookup<number, ChatMessage>({
    maxKeys: MAX_KEYS,
    async fetch(ids) {
      const { sources } = await client.messages.sources(ids);
      return new Map(sources.map(({ message_id, chat_message }) => [message_id, chat_message]));
    },
  });

/** Returns the words of a forwarded message's sender alone. An old server may have let the sender edit it: then all of it. */
export function ownWords(message: ChatMessage): ChatMessage {
  const { forwarded, edited_at, content } = message;
  if (forwarded === undefined || edited_at !== null) return message;
  return { ...message, content: content.slice(0, forwarded.comment_length) };
}
