const TICK_MS = 10;

/**
 * Starts a stopwatch that excludes the time in which a busy machine did not run this process. Call the result to stop
 * it and get the milliseconds.
 */
export function stopwatch(): () => number {
  let passed = 0;
  let at = performance.now();
  const tick = () => {
    const now = performance.now();
    passed += Math.min(now - at, 2 * TICK_MS);
    at = now;
  };
  const ticking = setInterval(tick, TICK_MS);
  return () => {
    clearInterval(ticking);
    tick();
    return passed;
  };
}
