import { createRef, useState } from "react";
import type { VirtualizerHandle } from "virtua";

/** A list's DOM handles and its scroll state. Changes do not cause a render. */
export class Scroll {
  readonly list = createRef<VirtualizerHandle>();
  readonly scroller = createRef<HTMLDivElement>();
  /** True if the list stays at its end when rows are added. */
  follows = true;
  /** True if the user has scrolled by hand since the list was last at its end. */
  handled = false;

  /** Sets `scrollTop` directly: the virtualizer's own scroll to the end continues for a while, whatever the user does. */
  toBottom(): void {
    const { current } = this.scroller;
    if (current !== null) current.scrollTop = current.scrollHeight;
  }
}

/** Returns one instance for the lifetime of the list. */
export function useScroll(): Scroll {
  const [scroll] = useState(() => new Scroll());
  return scroll;
}
