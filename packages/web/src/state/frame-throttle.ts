/** The minimum time between two renders: frequent changes are batched, and typing stays responsive. */
const APART_MS = 100;
/** A hidden page gets no frames; its stores are updated at this interval. */
const HIDDEN_MS = 250;

/** Returns a function that runs `action` at most once per interval, before a frame; immediately if it has not run recently. */
export function oncePerFrame(action: () => void): () => void {
  let isDue = false;
  let last = Number.NEGATIVE_INFINITY;
  const run = () => {
    isDue = false;
    last = performance.now();
    action();
  };
  return () => {
    if (isDue) return;
    isDue = true;
    const wait = document.visibilityState === "visible" ? last + APART_MS - performance.now() : HIDDEN_MS;
    if (wait > 0) setTimeout(run, wait);
    else requestAnimationFrame(run);
  };
}
