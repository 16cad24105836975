import { useRef, useState, type WheelEvent } from "react";
import type { Conversation } from "../../model/conversation.ts";
import type { Scroll } from "./scroll.ts";

/** Within this distance of the end, the list follows it. */
const NEAR_PX = 80;
/** Within this distance of an edge, the next page is fetched. */
const AHEAD_PX = 800;

interface ScrollState {
  /** True if the newest loaded message is visible. */
  isAtEnd: boolean;
  /** Called when the list has scrolled, by the user or by itself. */
  scrolled(): void;
  /** The wheel event precedes the scrolling it causes. */
  wheeled(event: WheelEvent): void;
  /** Scrolls to the newest message, and follows new ones. */
  toEnd(): void;
}

/** Tracks scrolling: stops or resumes following the end, and fetches adjacent pages. */
export function useScrollState(scroll: Scroll, channelSession: Conversation, hasNewer: boolean): ScrollState {
  const [isAtEnd, setAtEnd] = useState(true);
  /** The state at the last scroll event. */
  const offset = useRef(0);
  const size = useRef(0);
  return {
    isAtEnd,
    scrolled() {
      const { current } = scroll.list;
      const scroller = scroll.scroller.current;
      if (current === null || scroller === null) return;
      const { scrollOffset, scrollSize } = current;
      // If the list has grown, as when a bar below it disappears, the virtualizer's `viewportSize` is still the old height.
      const rest = scrollSize - scrollOffset - scroller.clientHeight;
      if (rest < NEAR_PX) {
        scroll.follows = !hasNewer;
        scroll.handled = false;
      }
      // The user scrolls up by hand, or by searching in the page. Measuring rows also moves the offset, but changes the
      // size.
      else if (scrollOffset < offset.current - 1 && (scroll.handled || scrollSize === size.current)) {
        scroll.follows = false;
      }
      size.current = scrollSize;
      offset.current = scrollOffset;
      setAtEnd(scroll.follows || rest < NEAR_PX);
      channelSession.setAtEnd(scroll.follows);
      if (scrollOffset < AHEAD_PX && !scroll.isPlacing) channelSession.loadOlder();
      if (rest < AHEAD_PX && hasNewer) channelSession.loadNewer();
    },
    wheeled({ deltaY, currentTarget }) {
      if (deltaY < 0 && currentTarget.scrollTop > 0) scroll.follows = false;
    },
    toEnd() {
      scroll.follows = true;
      scroll.endScrolling();
      setAtEnd(true);
      channelSession.setAtEnd(true);
      channelSession.scrollTo(null);
    },
  };
}
