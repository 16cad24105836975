import { useEffect } from "react";
import type { ChannelSession } from "../../model/channel-session.ts";
import { useParley } from "../../session/parley-context.ts";
import { useStore } from "../../state/store.ts";
import { type NamedMessages, type Sessions, sessionListOf } from "./session-list.ts";

/** Returns what agents do in a channel, and the messages that it names. */
export function useSessionList(channelSession: ChannelSession): { sessions: Sessions; messages: NamedMessages } {
  const list = sessionListOf(useParley(), channelSession);
  useEffect(() => list.watch(), [list]);
  return { sessions: useStore(list.sessions), messages: useStore(list.messages) };
}
