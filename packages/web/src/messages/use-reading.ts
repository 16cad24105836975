import type { ChannelRecord } from "@parley/protocol/records";
import { useEffect } from "react";
import { useParley } from "../app/parley-context.ts";
import type { Room } from "./room.ts";

/** What stands before somebody's eyes for so long is read. */
const READ_MS = 400;

/** Marks a channel as read while its newest message is in sight and somebody looks; forgets the line of what is new when nobody does. */
export function useReading(room: Room, channel: ChannelRecord, isAtEnd: boolean): void {
  const parley = useParley();
  const unread = channel.unread_count ?? 0;
  useEffect(() => {
    if (!isAtEnd || unread === 0) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      clearTimeout(timer);
      const isSeen = document.visibilityState === "visible" && document.hasFocus();
      if (isSeen) timer = setTimeout(() => parley.markRead(channel.id), READ_MS);
    };
    look();
    addEventListener("focus", look);
    return () => {
      clearTimeout(timer);
      removeEventListener("focus", look);
    };
  }, [parley, channel.id, isAtEnd, unread]);
  useEffect(() => {
    if (!isAtEnd || unread > 0) return;
    const away = () => room.seen();
    addEventListener("blur", away);
    return () => removeEventListener("blur", away);
  }, [room, isAtEnd, unread]);
}
