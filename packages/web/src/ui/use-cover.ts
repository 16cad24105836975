import { useEffect, useRef } from "react";

/** Below this width what opens covers the conversation, and people use the browser's Back to return to it. */
const NARROW = "(max-width: 1079px)";

/** What covers the conversation, the topmost last. Each has an entry in the browser's history. */
const covers: { close(): void }[] = [];

/** Returns how many covers were open when the current entry of the history was made. */
const depth = (): number => (history.state as { covers?: number } | null)?.covers ?? 0;

function wentBack(): void {
  // An entry of something that is closed already: a link led on from it.
  if (depth() > covers.length) history.back();
  while (covers.length > depth()) covers.pop()?.close();
}

function open(close: () => void): () => void {
  const cover = { close };
  // Adding it again changes nothing.
  addEventListener("popstate", wentBack);
  covers.push(cover);
  // The entry of a cover that has just closed serves the next one.
  if (depth() < covers.length) history.pushState({ covers: covers.length }, "");
  return () => {
    const at = covers.indexOf(cover);
    if (at === -1) return;
    covers.splice(at, 1);
    // After a link, which the browser follows when the handlers of the click have run, the entry is the link's.
    setTimeout(() => depth() > covers.length && history.back());
  };
}

/**
 * Has the browser's Back close what covers a narrow screen, instead of leaving the page. `opened` changes when it was
 * closed by Back and is open again.
 */
export function useCover(isOpen: boolean, close: () => void, opened = 0): void {
  const newest = useRef(close);
  newest.current = close;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a cover that is open again has another entry
  useEffect(() => {
    if (isOpen && matchMedia(NARROW).matches) return open(() => newest.current());
    return undefined;
  }, [isOpen, opened]);
}
