import { useEffect, useLayoutEffect } from "react";
import type { Row } from "./rows.ts";
import type { Scroll } from "./scroll.ts";

/** Events by which a user scrolls. */
const HANDLING = ["wheel", "touchmove", "pointerdown", "keydown"] as const;
const RELEASES = ["pointerup", "pointercancel"] as const;

/** Keeps the end visible while the list follows it: when rows are added or measured, images load, or a phone's keyboard opens. */
export function useFollowEnd(scroll: Scroll, rows: readonly Row[], isReady: boolean): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs at every change of the rows
  useLayoutEffect(() => {
    scroll.follow();
  }, [scroll, rows]);
  useEffect(() => {
    const { current } = scroll.scroller;
    if (current === null || !isReady) return;
    const observer = new ResizeObserver(() => scroll.follow());
    for (const element of [current, ...current.children]) observer.observe(element);
    const handle = () => {
      scroll.handled = true;
    };
    for (const kind of HANDLING) current.addEventListener(kind, handle, { passive: true });
    const press = ({ button }: PointerEvent) => {
      // The release of another button may go to the menu that it opens.
      if (button === 0) scroll.isPressed = true;
    };
    const release = () => {
      if (!scroll.isPressed) return;
      scroll.isPressed = false;
      // The click comes after this event, in the same turn.
      setTimeout(() => scroll.follow());
    };
    current.addEventListener("pointerdown", press);
    // The release may be elsewhere; a touch that scrolls is cancelled.
    for (const kind of RELEASES) addEventListener(kind, release);
    return () => {
      observer.disconnect();
      for (const kind of HANDLING) current.removeEventListener(kind, handle);
      current.removeEventListener("pointerdown", press);
      for (const kind of RELEASES) removeEventListener(kind, release);
      scroll.isPressed = false;
    };
  }, [scroll, isReady]);
}
