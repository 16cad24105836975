import type { ChatMessage } from "@parley/protocol/models";
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

/** A message that is in the document, and where it is below the top of the list, in pixels. */
interface Drawn {
  message: ChatMessage;
  top: number;
  bottom: number;
}

/**
 * Returns the messages in the document, from the top. Their places are the browser's: the virtualizer knows the list's
 * offset only after the next scroll event, and estimates the rows that it has not measured.
 */
function drawnMessages({ scroller }: Scroll, rows: readonly Row[]): Drawn[] {
  const { current } = scroller;
  if (current === null) return [];
  const messages = new Map(rows.flatMap((row) => (row.kind === "message" ? [[row.message.id, row.message]] : [])));
  const listTop = current.getBoundingClientRect().top;
  return [...current.querySelectorAll<HTMLElement>("li:has([data-id])")].flatMap((item) => {
    const message = messages.get(Number(item.querySelector<HTMLElement>("[data-id]")?.dataset.id));
    // Hidden until it is measured.
    if (message === undefined || !item.checkVisibility({ visibilityProperty: true })) return [];
    const { top, bottom } = item.getBoundingClientRect();
    return [{ message, top: top - listTop, bottom: bottom - listTop }];
  });
}

/** Returns the seq of the last message whose end is in view; 0 without one, and while the list moves to its place. */
export function seenSeq(scroll: Scroll, rows: readonly Row[]): number {
  if (scroll.isPlacing) return 0;
  const height = (scroll.scroller.current?.clientHeight ?? 0) + SLACK_PX;
  return drawnMessages(scroll, rows).findLast(({ bottom }) => bottom <= height)?.message.seq ?? 0;
}

/** Returns the first message whose beginning is in view; null without one. */
export function firstInView(scroll: Scroll, rows: readonly Row[]): InView | null {
  const first = drawnMessages(scroll, rows).find(({ top }) => top >= 0);
  return first === undefined ? null : { messageId: first.message.id, top: first.top };
}

/** Returns one instance for the lifetime of the list. */
export function useScroll(): Scroll {
  const [scroll] = useState(() => new Scroll());
  return scroll;
}
