import { type RefObject, useEffect, useState } from "react";

/** The target message is highlighted for this long. */
const FOUND_MS = 2_500;
/** Rows must be rendered and measured before they can be focused; gives up after this many frames. */
const TRIES = 60;

/** The target message while it is highlighted. It receives the focus, unless that is outside the conversation (in the composer, say). */
export function useHighlight(scroller: RefObject<HTMLElement | null>) {
  const [found, setFound] = useState<number | null>(null);
  useEffect(() => {
    if (found === null) return;
    const timer = setTimeout(() => setFound(null), FOUND_MS);
    let frame = 0;
    const focus = (tries: number) => {
      const { activeElement } = document;
      const isFree = activeElement === document.body || activeElement?.closest(".scroll-frame") != null;
      const row = scroller.current?.querySelector<HTMLElement>(`[data-id="${found}"]`);
      if (!isFree || tries === 0) return;
      row?.focus({ preventScroll: true });
      if (row == null || document.activeElement !== row) frame = requestAnimationFrame(() => focus(tries - 1));
    };
    focus(TRIES);
    return () => {
      clearTimeout(timer);
      cancelAnimationFrame(frame);
    };
  }, [found, scroller]);
  return { found, setFound };
}
