/** True if the user can be looking at the page: it is on the screen and its window has the focus. */
export const isInFront = (): boolean => document.visibilityState === "visible" && document.hasFocus();

/** Calls `changed` when the page may have come to the front or left it; returns a function that stops it. */
export function onFrontChange(changed: () => void): () => void {
  // A window loses the focus and stays on the screen; some phones only hide the page.
  for (const name of ["focus", "blur"]) addEventListener(name, changed);
  document.addEventListener("visibilitychange", changed);
  return () => {
    for (const name of ["focus", "blur"]) removeEventListener(name, changed);
    document.removeEventListener("visibilitychange", changed);
  };
}
