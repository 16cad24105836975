import { createRef, useState } from "react";
import type { VirtualizerHandle } from "virtua";
import type { InView } from "../../model/history-pages.ts";
import type { Row } from "./rows.ts";

/** Sizes are rounded differently by the browser and the virtualizer. */
const SLACK_PX = 2;

/** A list's DOM handles and its scroll state. Changes do not cause a render. */
export class Scroll {
  readonly list = createRef<VirtualizerHandle>();
  readonly scroller = createRef<HTMLDivElement>();
  /** True if the list stays at its end when rows are added. */
  follows = true;
  /** True if the user has scrolled by hand since the list was last at its end. */
  handled = false;
  /** True while a button of the mouse, a pen or a finger is down on the list. */
  isPressed = false;
  /** True while the list comes to rest at a place: nothing is added above it. */
  isPlacing = false;

  /** Sets `scrollTop` directly: the virtualizer's own scroll to the end continues for a while, whatever the user does. */
  toBottom(): void {
    const { current } = this.scroller;
    if (current !== null) current.scrollTop = current.scrollHeight;
  }

  /**
   * Shows the end if the list follows it. Not during a press: if what was pressed moved away before the release, nothing
   * would happen.
   */
  follow(): void {
    if (this.follows && !this.isPressed) this.toBottom();
  }

  /**
   * Ends a scroll to another row: the virtualizer repeats it until the rows around its target are measured, which would
   * take the user back there. Only another of its own scrolls ends it.
   */
  endScrolling(): void {
    this.list.current?.scrollToIndex(Number.MAX_SAFE_INTEGER, { align: "end" });
  }
}

/** Returns the seq of the last message whose end is in view; 0 without one, and while the list moves to its place. */
export function seenSeq(scroll: Scroll, rows: readonly Row[]): number {
  const [list, scroller] = [scroll.list.current, scroll.scroller.current];
  if (list === null || scroller === null || scroll.isPlacing) return 0;
  const bottom = list.scrollOffset + scroller.clientHeight + SLACK_PX;
  for (let index = list.findItemIndex(bottom); index >= 0; index -= 1) {
    const row = rows[index];
    const isInView = list.getItemOffset(index) + list.getItemSize(index) <= bottom;
    if (row?.kind === "message" && isInView) return row.message.seq;
  }
  return 0;
}

/** Returns the first message whose beginning is in view; null without one. */
export function firstInView(scroll: Scroll, rows: readonly Row[]): InView | null {
  const { current } = scroll.list;
  if (current === null) return null;
  for (let index = current.findItemIndex(current.scrollOffset); index < rows.length; index += 1) {
    const row = rows[index];
    const top = current.getItemOffset(index) - current.scrollOffset;
    if (row?.kind === "message" && top >= 0) return { messageId: row.message.id, top };
  }
  return null;
}

/** Returns one instance for the lifetime of the list. */
export function useScroll(): Scroll {
  const [scroll] = useState(() => new Scroll());
  return scroll;
}
