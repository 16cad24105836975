import type { ChannelRecord } from "@parley/protocol/records";
import { useEffect } from "react";
import type { Room } from "../../model/channel-session.ts";
import { useParley } from "../../session/parley-context.ts";

/** A message counts as read after being visible for this long. */
const READ_MS = 400;
/** While messages keep arriving, the read position is reported at this interval. */
const AGAIN_MS = 1_000;

/** Marks a channel as read while its newest message is visible and the user is looking; removes the "new" line when they are not. */
export function useReading(room: Room, channel: ChannelRecord, isAtEnd: boolean): void {
  const parley = useParley();
  // Depends on whether something is unread, not how much: each arrival would restart the timer, and a busy channel
  // would never be read.
  const isUnread = (channel.unread_count ?? 0) > 0;
  useEffect(() => {
    if (!isAtEnd || !isUnread) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let told = 0;
    const tell = () => {
      if (room.newestSeq > told) parley.markRead(channel.id);
      told = room.newestSeq;
      timer = setTimeout(tell, AGAIN_MS);
    };
    const look = () => {
      clearTimeout(timer);
      told = 0;
      const isSeen = document.visibilityState === "visible" && document.hasFocus();
      if (isSeen) timer = setTimeout(tell, READ_MS);
    };
    look();
    addEventListener("focus", look);
    return () => {
      clearTimeout(timer);
      removeEventListener("focus", look);
    };
  }, [parley, room, channel.id, isAtEnd, isUnread]);
  useEffect(() => {
    if (!isAtEnd || isUnread) return;
    const away = () => room.seen();
    addEventListener("blur", away);
    return () => removeEventListener("blur", away);
  }, [room, isAtEnd, isUnread]);
}
