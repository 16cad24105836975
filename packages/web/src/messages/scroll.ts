import { createRef, useState } from "react";
import type { VirtualizerHandle } from "virtua";

/** A list's handles, and what is known of how it is scrolled. Nothing is drawn anew when it changes. */
export class Scroll {
  readonly list = createRef<VirtualizerHandle>();
  readonly scroller = createRef<HTMLDivElement>();
  /** Does it stay at its end, whatever comes? */
  follows = true;
  /** Has a person's hand been on it since it was at its end? */
  handled = false;

  /** By hand: the list's own way to its end goes on for a while, whatever the person does meanwhile. */
  toBottom(): void {
    const { current } = this.scroller;
    if (current !== null) current.scrollTop = current.scrollHeight;
  }
}

/** The same as long as the list is there. */
export function useScroll(): Scroll {
  const [scroll] = useState(() => new Scroll());
  return scroll;
}
