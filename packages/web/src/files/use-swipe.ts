import { type TouchEvent, useRef } from "react";

/** Pixels after which a movement is a swipe. */
const FAR_PX = 48;

interface Options {
  isOn: boolean;
  /** Called for a swipe to the left with 1, to the right with -1. */
  onStep(by: number): void;
  onDown(): void;
}

/** Touch handlers that recognise a swipe of one finger. */
export function useSwipe({ isOn, onStep, onDown }: Options) {
  const start = useRef<{ x: number; y: number } | null>(null);
  return {
    onTouchStart({ touches }: TouchEvent) {
      const finger = touches[0];
      // Two fingers enlarge the page.
      start.current =
        isOn && finger !== undefined && touches.length === 1 ? { x: finger.clientX, y: finger.clientY } : null;
    },
    onTouchEnd({ changedTouches }: TouchEvent) {
      const finger = changedTouches[0];
      const from = start.current;
      start.current = null;
      if (from === null || finger === undefined) return;
      const [dx, dy] = [finger.clientX - from.x, finger.clientY - from.y];
      if (Math.abs(dx) > FAR_PX && Math.abs(dx) > 2 * Math.abs(dy)) onStep(dx < 0 ? 1 : -1);
      else if (dy > 2 * FAR_PX && dy > 2 * Math.abs(dx)) onDown();
    },
  };
}
