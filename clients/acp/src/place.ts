import type { MessageItem } from "@parley/sdk";

/** Where a session talks: a thread of a channel, or a direct conversation. */
export interface Place {
  /** The session's name in the state file. */
  key: string;
  channelId: number;
  channel: string;
  /** The message that begins the thread; null in a direct conversation. */
  rootId: number | null;
}

/** A mention outside of a thread begins one. A direct conversation is one session, whatever its threads. */
export function placeOf({ kind, channel_id, channel_slug, chat_message }: MessageItem): Place {
  const rootId = kind === "direct" ? null : (chat_message.thread_root_id ?? chat_message.id);
  return {
    key: rootId === null ? `${channel_id}` : `${channel_id}/${rootId}`,
    channelId: channel_id,
    channel: channel_slug,
    rootId,
  };
}

/** The fields of a send that put it there. */
export const threadOf = ({ rootId }: Place): { thread_root_id?: number } =>
  rootId === null ? {} : { thread_root_id: rootId };
