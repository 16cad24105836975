import { type MouseEvent, type PointerEvent, type TouchEvent, useEffect, useRef } from "react";

/** A finger that rests for this long presses long; shorter than the browsers' own long press, which selects text. */
const HOLD_MS = 450;
/** A finger that moves further scrolls. */
const SLACK_PX = 10;
/** Elements with their own meaning for a press. */
const OWN = "a, button:not(.card-opener), input, textarea, select, [role=slider]";

/**
 * Returns the handlers for an element that a finger can press long. A mouse and a pen do nothing here. `own` selects
 * elements within it that a press means.
 */
export function useLongPress(onHold: () => void, own = OWN) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const frame = useRef(0);
  const start = useRef({ x: 0, y: 0 });
  const state = useRef<"none" | "pressing" | "held">("none");
  const stop = () => {
    clearTimeout(timer.current);
    cancelAnimationFrame(frame.current);
    if (state.current === "pressing") state.current = "none";
  };
  const hold = () => {
    if (state.current !== "pressing") return;
    stop();
    state.current = "held";
    onHold();
  };
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      cancelAnimationFrame(frame.current);
    },
    [],
  );
  return {
    onPointerDown({ pointerType, isPrimary, target, clientX: x, clientY: y }: PointerEvent) {
      stop();
      state.current = "none";
      if (pointerType !== "touch" || !isPrimary || !(target instanceof Element) || target.closest(own) !== null) return;
      start.current = { x, y };
      state.current = "pressing";
      // On a busy page the finger may be up already, in an event that waits; the next frame comes after it.
      timer.current = setTimeout(() => {
        frame.current = requestAnimationFrame(hold);
      }, HOLD_MS);
    },
    onPointerMove({ clientX, clientY }: PointerEvent) {
      const { x, y } = start.current;
      if (Math.hypot(clientX - x, clientY - y) > SLACK_PX) stop();
    },
    onPointerUp: stop,
    onPointerCancel: stop,
    /** Lifting the finger is no tap on what the press has opened. */
    onTouchEnd(event: TouchEvent) {
      if (state.current === "held") event.preventDefault();
    },
    /** The browser's own long press, where it has one; a busy page may notice it before the time is over. */
    onContextMenu(event: MouseEvent) {
      if (state.current !== "none") event.preventDefault();
      hold();
    },
  };
}
