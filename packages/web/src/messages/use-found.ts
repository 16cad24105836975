import { type RefObject, useEffect, useState } from "react";

/** A message that was looked for stands out so long. */
const FOUND_MS = 2_500;
/** Rows are drawn and measured before they can be focused; after so many pictures it is given up. */
const TRIES = 60;

/** The message that was looked for, while it stands out. Who was led to it goes on from it by keyboard, too; who writes goes on writing. */
export function useFound(scroller: RefObject<HTMLElement | null>) {
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
