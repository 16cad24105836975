import type { Channel, ChatMessage } from "@parley/protocol/models";
import { useEffect, useState } from "react";
import type { Conversation } from "../model/conversation.ts";
import { useParley, useSelf } from "../session/parley-context.ts";
import { retryUntilDone } from "../state/retry.ts";
import { useStore } from "../state/store.ts";

/**
 * Returns the message of a channel whose keyboard the reader sees, if it is older than the messages that are loaded. It is
 * asked for once, when there are older messages; threads have none.
 */
export function useOlderKeyboard(channelSession: Conversation, channel: Channel): ChatMessage | null {
  const parley = useParley();
  const self = useSelf();
  const isCut = useStore(channelSession.view).hasOlder;
  const isAsked = isCut && self !== null && channelSession.rootId === null;
  const [found, setFound] = useState<ChatMessage | null>(null);
  useEffect(() => {
    if (!isAsked) return;
    let isWanted = true;
    const read = async () => {
      const { messages } = await parley.client.channels.keyboards(channel.id);
      const [message] = messages;
      if (!isWanted || message?.keyboard === undefined) return;
      // It is for this reader, although what it answers may not be loaded.
      setFound({ ...message, keyboard: { ...message.keyboard, selective: false } });
    };
    const stop = retryUntilDone(read, () => {});
    return () => {
      isWanted = false;
      stop();
    };
  }, [parley, channel.id, isAsked]);
  return found;
}
