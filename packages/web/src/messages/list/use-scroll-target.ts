import { useLayoutEffect, useRef } from "react";
import type { ConversationView } from "../../model/conversation.ts";
import type { Row } from "./rows.ts";
import type { Scroll } from "./scroll.ts";
import { useHighlight } from "./use-highlight.ts";

/** The first unread message is this far below the top: the last one that was read is above it. */
const ABOVE_PX = 120;

/** The list is at rest if nothing was measured for this many frames; gives up waiting after `TRIES`. */
const RESTING_FRAMES = 3;
const TRIES = 60;

/**
 * Keeps a row at its distance from the top while rows above it are measured. The virtualizer's own scrolling would take the row's index
 * for another row if older ones are added meanwhile.
 */
function keepAt({ list, scroller }: Scroll, index: number, top: number, onRest: () => void): void {
  const keep = (rested: number, tries: number) => {
    if (list.current === null || scroller.current === null) return;
    const { scrollHeight, clientHeight, scrollTop } = scroller.current;
    const wanted = Math.max(0, Math.min(list.current.getItemOffset(index) - top, scrollHeight - clientHeight));
    const isThere = Math.abs(scrollTop - wanted) < 1;
    if (!isThere) scroller.current.scrollTop = wanted;
    if (rested === RESTING_FRAMES || tries === 0) return onRest();
    requestAnimationFrame(() => keep(isThere ? rested + 1 : 0, tries - 1));
  };
  keep(0, TRIES);
}

/**
 * Scrolls once to the place requested last: the end, a message, the first unread one, or where the user was reading. Returns the target message
 * while it is highlighted. `scrolled` is called when the list has settled there, even if it did not have to scroll.
 */
export function useScrollTarget(
  scroll: Scroll,
  rows: readonly Row[],
  { place, state }: ConversationView,
  scrolled: () => void,
): number | null {
  const { found, setFound } = useHighlight(scroll.scroller);
  const seen = useRef<object | null>(null);
  useLayoutEffect(() => {
    if (state !== "ready" || seen.current === place) return;
    const isTarget = ({ message, startsNew }: Extract<Row, { kind: "message" }>) =>
      place.unread === undefined ? message.id === place.messageId : startsNew;
    const index = rows.findIndex((row) => row.kind === "message" && isTarget(row));
    // The message is being fetched, and appears in a later render.
    if (index === -1 && place.messageId !== null) return;
    seen.current = place;
    scroll.follows = index === -1;
    const top = place.top ?? (place.unread === undefined ? undefined : ABOVE_PX);
    setFound(index === -1 || top !== undefined ? null : place.messageId);
    if (index === -1) scroll.toBottom();
    else if (top === undefined) scroll.list.current?.scrollToIndex(index, { align: "center" });
    else {
      scroll.isPlacing = true;
      keepAt(scroll, index, top, () => {
        scroll.isPlacing = false;
        scrolled();
      });
    }
  }, [scroll, place, state, rows, setFound, scrolled]);
  return found;
}
