import type { Channel } from "@parley/protocol/models";
import { useEffect, useRef } from "react";
import type { ChannelSession } from "../../model/channel-session.ts";
import { useParley } from "../../session/parley-context.ts";

/** A message counts as read after being visible for this long. */
const READ_MS = 400;
/** While messages keep arriving, the read position is reported at this interval. */
const AGAIN_MS = 1_000;

/**
 * Marks what the user sees as read, while they are looking. Removes the "new" line when they are not and everything is
 * read. `seenSeq` returns the seq of the last message in view.
 */
export function useMarkRead(
  channelSession: ChannelSession,
  channel: Channel,
  isAtEnd: boolean,
  seenSeq: () => number,
): void {
  const parley = useParley();
  const seen = useRef(seenSeq);
  useEffect(() => {
    seen.current = seenSeq;
  });
  // Depends on whether something is unread, not how much: each arrival would restart the timer, and a busy channel
  // would never be read.
  const isUnread = (channel.unread_count ?? 0) > 0;
  useEffect(() => {
    if (!isUnread) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let reportedSeq = 0;
    const report = () => {
      const seq = seen.current();
      if (seq > reportedSeq) parley.markRead(channel.id, seq);
      reportedSeq = Math.max(reportedSeq, seq);
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
  }, [parley, channel.id, isUnread]);
  useEffect(() => {
    if (!isAtEnd || isUnread) return;
    const away = () => channelSession.seen();
    addEventListener("blur", away);
    return () => removeEventListener("blur", away);
  }, [channelSession, isAtEnd, isUnread]);
}
