/** Between two drawings there is at least this: what comes thick and fast is drawn together, and typing stays quick. */
const APART_MS = 100;
/** A hidden page draws nothing; its stores follow at this pace. */
const HIDDEN_MS = 250;

/** Runs `act` once before one of the next pictures is drawn, however often it is asked to: at once when it has not run of late. */
export function oncePerFrame(act: () => void): () => void {
  let isDue = false;
  let last = Number.NEGATIVE_INFINITY;
  const run = () => {
    isDue = false;
    last = performance.now();
    act();
  };
  return () => {
    if (isDue) return;
    isDue = true;
    const wait = document.visibilityState === "visible" ? last + APART_MS - performance.now() : HIDDEN_MS;
    if (wait > 0) setTimeout(run, wait);
    else requestAnimationFrame(run);
  };
}
