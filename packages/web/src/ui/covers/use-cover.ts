import { useEffect, useRef } from "react";

/** Below this width what opens covers the conversation, and people use the browser's Back to return to it. */
const NARROW = "(max-width: 1079px)";

const covers = () => import("./covers.ts");

/**
 * Has the browser's Back close what covers a narrow screen, instead of leaving the channel. `opened` changes when Back
 * has closed it and it is open again.
 */
export function useCover(isOpen: boolean, close: () => void, opened = 0): void {
  const newest = useRef(close);
  newest.current = close;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a cover that is open again has another entry
  useEffect(() => {
    if (!isOpen || !matchMedia(NARROW).matches) return;
    const added = covers().then(({ addCover }) => addCover(() => newest.current()));
    // Without the code, which the next cover asks for again, Back leaves the channel.
    added.catch(() => {});
    return () => void added.then((remove) => remove()).catch(() => {});
  }, [isOpen, opened]);
}

/** Loads the code, unless it is not needed. A page that was reloaded steps back from the entries of its covers. */
export function prepareCovers(): void {
  if (history.state !== null || matchMedia(NARROW).matches) covers().catch(() => {});
}
