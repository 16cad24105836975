import type { Forwarded } from "@parley/protocol/forwarded";
import type { ChatMessage } from "@parley/protocol/models";
import type { UserClient } from "@parley/sdk";
import { Forwards } from "@parley/sdk/groups";
import { Lookup } from "../state/lookup.ts";

const MAX_KEYS = 100;

/**
 * Returns the sources of forwarded messages, by the forwarded ones' ids, as far as the page's user may read them: the
 * server decides with the user's rights of now, and tells nothing of the others. `found` gets the ids of the sources.
 */
export const makeForwardSources = (client: UserClient, found: Set<number>): Lookup<number, ChatMessage> =>
  new Lookup<number, ChatMessage>({
    maxKeys: MAX_KEYS,
    async fetch(ids) {
      const { sources } = await client.group(Forwards).sources(ids);
      for (const { chat_message } of sources) found.add(chat_message.id);
      return new Map(sources.map(({ message_id, chat_message }) => [message_id, chat_message]));
    },
  });

/**
 * Returns a forwarded message with its sender's own words alone, as one that forwards nothing. An old server may have let
 * the sender edit it: then all of it.
 */
export function ownWords({ forwarded, ...message }: ChatMessage): ChatMessage {
  if (forwarded === undefined || message.edited_at !== null) return message;
  return { ...message, content: message.content.slice(0, forwarded.comment_length) };
}

/** Returns who wrote a message, or the source of a copy. */
export const nameOf = ({
  username,
  agent_name,
  webhook_name,
}: Pick<Forwarded, "username" | "agent_name"> & { webhook_name?: string | null | undefined }): string =>
  agent_name ?? username ?? webhook_name ?? "system";
