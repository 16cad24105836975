import { useEffect, useRef } from "react";
import type { Conversation } from "../../model/conversation.ts";
import { isInFront, onFrontChange } from "../../state/in-front.ts";

/** A message counts as read after being visible for this long. */
const READ_MS = 400;
/** While messages keep arriving, the read position is reported at this interval. */
const AGAIN_MS = 1_000;

interface Unread {
  isUnread: boolean;
  /** Reports everything up to a seq as read; null: the list is covered, so nothing is seen. */
  onRead: ((seq: number) => void) | null;
}

/**
 * Marks what the user sees as read, while they are looking. Removes the "new" line when they are not and everything is
 * read. `seenSeq` returns the seq of the last message in view.
 */
export function useMarkRead(
  channelSession: Conversation,
  { isUnread, onRead }: Unread,
  isAtEnd: boolean,
  seenSeq: () => number,
): void {
  const [seen, read] = [useRef(seenSeq), useRef(onRead)];
  useEffect(() => {
    seen.current = seenSeq;
    read.current = onRead;
  });
  const isCovered = onRead === null;
  // Depends on whether something is unread, not how much: each arrival would restart the timer, and a busy channel
  // would never be read.
  useEffect(() => {
    if (!isUnread || isCovered) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let reportedSeq = 0;
    const report = () => {
      // Events of the window may be late.
      if (!isInFront()) return;
      const seq = seen.current();
      if (seq > reportedSeq) read.current?.(seq);
      reportedSeq = Math.max(reportedSeq, seq);
      timer = setTimeout(report, AGAIN_MS);
    };
    // The user who looks elsewhere sees no new message, however far the timer was.
    const restart = () => {
      clearTimeout(timer);
      reportedSeq = 0;
      if (isInFront()) timer = setTimeout(report, READ_MS);
    };
    restart();
    const stop = onFrontChange(restart);
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [isUnread, isCovered, seen, read]);
  useEffect(() => {
    if (!isAtEnd || isUnread) return;
    return onFrontChange(() => {
      if (!isInFront()) channelSession.seen();
    });
  }, [channelSession, isAtEnd, isUnread]);
}
