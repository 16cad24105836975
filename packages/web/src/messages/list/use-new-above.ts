import { useEffect, useState } from "react";
import type { Conversation } from "../../model/conversation.ts";
import { useSelf } from "../../session/parley-context.ts";
import { useStore } from "../../state/store.ts";
import type { Row } from "./rows.ts";
import type { Scroll } from "./scroll.ts";

/**
 * Returns how many new messages begin above the visible part of the list; 0: none, or the user has seen where they begin.
 * That happens when many arrive while the list follows its end and nobody looks.
 */
export function useNewAbove(scroll: Scroll, rows: readonly Row[], channelSession: Conversation): number {
  const { newAfterSeq, state } = useStore(channelSession.view);
  const self = useSelf();
  const [isAbove, setAbove] = useState(false);
  /** The line that was in view while the user looked. */
  const [seenLine, setSeenLine] = useState<number | null>(null);
  const first = rows.findIndex((row) => row.kind === "message" && row.startsNew);
  // biome-ignore lint/correctness/useExhaustiveDependencies: looks again when rows were added or have moved
  useEffect(() => {
    const { current } = scroll.scroller;
    if (current === null || newAfterSeq === null || state !== "ready") return;
    const look = () => {
      const { current: list } = scroll.list;
      if (list === null) return;
      // Without a row it was dropped, because many more have followed.
      const top = first === -1 ? -1 : list.getItemOffset(first) - current.scrollTop;
      setAbove(top < 0);
      const isSeen = top >= 0 && top < current.clientHeight && document.hasFocus();
      if (isSeen && document.visibilityState === "visible") setSeenLine(newAfterSeq);
    };
    // Rows are measured in the next frame.
    const frame = requestAnimationFrame(look);
    current.addEventListener("scroll", look, { passive: true });
    addEventListener("focus", look);
    return () => {
      cancelAnimationFrame(frame);
      current.removeEventListener("scroll", look);
      removeEventListener("focus", look);
    };
  }, [scroll, rows, first, newAfterSeq, state]);
  if (newAfterSeq === null || seenLine === newAfterSeq || !isAbove) return 0;
  const isNew = (row: Row) =>
    row.kind === "message" && row.message.seq > newAfterSeq && row.message.username !== self && !row.message.is_deleted;
  return rows.filter(isNew).length;
}
