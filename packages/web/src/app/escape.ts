/** Is this an Escape for what stands in the page? One that ends a composition, or closes a window or panel above the page, is not. */
export const isEscape = ({ key, isComposing }: KeyboardEvent): boolean =>
  key === "Escape" && !isComposing && document.querySelector("dialog[open], :popover-open") === null;
