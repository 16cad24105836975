/** The minimum time between two renders: frequent changes are batched, and typing stays responsive. */
const APART_MS = 100;
/** A render that takes long is followed by a rest of so many times its duration, up to a maximum. */
const RESTS = 4;
const REST_MAX_MS = 2_000;
/** A hidden page gets no frames; its stores are updated at this interval. */
const HIDDEN_MS = 250;

/**
 * Returns a function that runs `action` at most once per interval, before a frame; immediately if it has not run
 * recently. The action and the rendering that follows it take at most a fifth of the page's time.
 */
export function oncePerFrame(action: () => void): () => void {
  let isDue = false;
  let last = Number.NEGATIVE_INFINITY;
  let apart = APART_MS;
  const run = () => {
    isDue = false;
    last = performance.now();
    action();
    // After the render, which follows the action as a microtask.
    setTimeout(() => {
      const took = performance.now() - last;
      apart = Math.max(APART_MS, took + Math.min(REST_MAX_MS, RESTS * took));
    });
  };
  return () => {
    if (isDue) return;
    isDue = true;
    const wait = document.visibilityState === "visible" ? last + apart - performance.now() : HIDDEN_MS;
    if (wait > 0) setTimeout(run, wait);
    else requestAnimationFrame(run);
  };
}

/** Resolves when what has been rendered until now has been drawn; in a hidden page never. */
export const twoFrames = (): Promise<void> =>
  new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())));
