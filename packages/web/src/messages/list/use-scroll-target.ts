import { useLayoutEffect, useRef } from "react";
import type { ChannelView } from "../../model/channel-view.ts";
import type { Row } from "./rows.ts";
import type { Scroll } from "./scroll.ts";
import { useHighlight } from "./use-highlight.ts";

/** Scrolls once to the place requested last: the end, or a message. Returns the target message while it is highlighted. */
export function useScrollTarget(scroll: Scroll, rows: readonly Row[], { place, state }: ChannelView): number | null {
  const { found, setFound } = useHighlight(scroll.scroller);
  const seen = useRef<object | null>(null);
  useLayoutEffect(() => {
    if (state !== "ready" || seen.current === place) return;
    const index = rows.findIndex((row) => row.kind === "message" && row.message.id === place.messageId);
    // The message is being fetched, and appears in a later render.
    if (index === -1 && place.messageId !== null) return;
    seen.current = place;
    scroll.follows = index === -1;
    setFound(index === -1 ? null : place.messageId);
    if (index === -1) scroll.toBottom();
    else scroll.list.current?.scrollToIndex(index, { align: "center" });
  }, [scroll, place, state, rows, setFound]);
  return found;
}
