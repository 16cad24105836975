import type { Emoji } from "@parley/protocol/emoji";
import { type FocusEvent, type KeyboardEvent, useRef, useState } from "react";
import { EmojiPicture } from "./server-picture.tsx";

/** What is done with the emoji that is picked. */
export interface Picking {
  /** Describes for screen readers how an emoji is used when it is picked. */
  label(emoji: string): string;
  /** Receives an emoji of the server as it is written in a text, as in `:party_parrot:`. */
  onPick(emoji: string): void;
  /** Without the emoji of the server. */
  isUnicodeOnly?: boolean;
}

/** An emoji as it is shown and picked. */
export interface Shown {
  text: string;
  name: string;
  /** An emoji of the server. */
  own?: Emoji;
}

/** A grid of emoji. Tab reaches it as a whole, and arrow keys move in it. */
export function EmojiGrid({ shown, label, onPick }: Picking & { shown: readonly Shown[] }) {
  const grid = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState(0);
  const keyed = (event: KeyboardEvent) => {
    const columns = grid.current === null ? 1 : getComputedStyle(grid.current).gridTemplateColumns.split(" ").length;
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    // A popover moves through all of its buttons.
    event.stopPropagation();
    grid.current?.querySelectorAll("button")[at + step]?.focus();
  };
  const focused = ({ target, currentTarget }: FocusEvent) => setAt([...currentTarget.children].indexOf(target));
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: arrow keys move between the buttons in it
    <div className="emoji-grid" ref={grid} onKeyDown={keyed} onFocus={focused}>
      {shown.map(({ text, name, own }, n) => (
        <button
          key={text}
          type="button"
          tabIndex={n === at ? 0 : -1}
          title={name}
          aria-label={label(text)}
          onClick={() => onPick(text)}
        >
          {own === undefined ? text : <EmojiPicture emoji={own} />}
        </button>
      ))}
    </div>
  );
}
