/** True if Escape applies to the page itself: not if it ends a composition, or closes a dialog or popover. */
export const isEscape = ({ key, isComposing }: KeyboardEvent): boolean =>
  key === "Escape" && !isComposing && document.querySelector("dialog[open], :popover-open") === null;
