import { useRef, useState, type WheelEvent } from "react";
import type { Room } from "./room.ts";
import type { Scroll } from "./scroll.ts";

/** Closer to the end than this the list follows it. */
const NEAR_PX = 80;
/** Closer to an edge than this the next page is fetched. */
const AHEAD_PX = 800;

interface Scrolling {
  /** Is the newest that is loaded in sight? */
  isAtEnd: boolean;
  /** The list has moved, by a person or by itself. */
  scrolled(): void;
  /** A person's wheel is known before the scrolling it makes. */
  wheeled(event: WheelEvent): void;
  /** To the newest message, and on with those that come. */
  toEnd(): void;
}

/** Follows how the list is scrolled: lets go of its end and takes it up again, and fetches the pages that are near. */
export function useScrolling(scroll: Scroll, room: Room, hasNewer: boolean): Scrolling {
  const [isAtEnd, setAtEnd] = useState(true);
  /** As it was when it last moved. */
  const offset = useRef(0);
  const size = useRef(0);
  return {
    isAtEnd,
    scrolled() {
      const { current } = scroll.list;
      if (current === null) return;
      const { scrollOffset, scrollSize, viewportSize } = current;
      const rest = scrollSize - scrollOffset - viewportSize;
      if (rest < NEAR_PX) {
        scroll.follows = !hasNewer;
        scroll.handled = false;
      }
      // A person scrolls up, by hand or by finding a word. Rows that are measured move the place too, and change the size.
      else if (scrollOffset < offset.current - 1 && (scroll.handled || scrollSize === size.current)) {
        scroll.follows = false;
      }
      size.current = scrollSize;
      offset.current = scrollOffset;
      setAtEnd(scroll.follows || rest < NEAR_PX);
      room.setAtEnd(scroll.follows);
      if (scrollOffset < AHEAD_PX) room.loadOlder();
      if (rest < AHEAD_PX && hasNewer) room.loadNewer();
    },
    wheeled({ deltaY, currentTarget }) {
      if (deltaY < 0 && currentTarget.scrollTop > 0) scroll.follows = false;
    },
    toEnd() {
      scroll.follows = true;
      setAtEnd(true);
      room.setAtEnd(true);
      room.look(null);
    },
  };
}
