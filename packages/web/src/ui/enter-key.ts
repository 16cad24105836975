import type { KeyboardEvent } from "react";
import { endsInOpenFence } from "./open-fence.ts";
import { isShortcut } from "./shortcuts.ts";

/**
 * True if the key sends the text of a field: Enter, but not on a touch keyboard, which has no other way to break a line,
 * and not within a block of code. Ctrl+Enter and Cmd+Enter always send, Shift+Enter never does.
 */
export function isSendKey(event: KeyboardEvent<HTMLTextAreaElement>): boolean {
  if (isShortcut(event, "sendAlways")) return true;
  const { currentTarget } = event;
  return (
    isShortcut(event, "send") &&
    !isTouch() &&
    !endsInOpenFence(currentTarget.value.slice(0, currentTarget.selectionStart))
  );
}

/** True if a finger is the main pointer, so that the keyboard is most likely on the screen. */
export const isTouch = (): boolean => matchMedia("(pointer: coarse)").matches;
