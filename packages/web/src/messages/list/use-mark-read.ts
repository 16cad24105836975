import type { Channel } from "@parley/protocol/models";
import { useEffect } from "react";
import type { ChannelSession } from "../../model/channel-session.ts";
import { useParley } from "../../session/parley-context.ts";

/** A message counts as read after being visible for this long. */
const READ_MS = 400;
/** While messages keep arriving, the read position is reported at this interval. */
const AGAIN_MS = 1_000;

/** Marks a channel as read while its newest message is visible and the user is looking; removes the "new" line when they are not. */
export function useMarkRead(channelSession: ChannelSession, channel: Channel, isAtEnd: boolean): void {
  const parley = useParley();
  // Depends on whether something is unread, not how much: each arrival would restart the timer, and a busy channel
  // would never be read.
  const isUnread = (channel.unread_count ?? 0) > 0;
  useEffect(() => {
    if (!isAtEnd || !isUnread) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let reportedSeq = 0;
    const report = () => {
      if (channelSession.newestSeq > reportedSeq) parley.markRead(channel.id);
      reportedSeq = channelSession.newestSeq;
      timer = setTimeout(report, AGAIN_MS);
    };
    const restart = () => {
      clearTimeout(timer);
      reportedSeq = 0;
      const isSeen = document.visibilityState === "visible" && document.hasFocus();
      if (isSeen) timer = setTimeout(report, READ_MS);
    };
    restart();
    addEventListener("focus", restart);
    return () => {
      clearTimeout(timer);
      removeEventListener("focus", restart);
    };
  }, [parley, channelSession, channel.id, isAtEnd, isUnread]);
  useEffect(() => {
    if (!isAtEnd || isUnread) return;
    const away = () => channelSession.seen();
    addEventListener("blur", away);
    return () => removeEventListener("blur", away);
  }, [channelSession, isAtEnd, isUnread]);
}
