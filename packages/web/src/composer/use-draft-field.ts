import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { ComposeState } from "../model/compose-state.ts";
import { useStore } from "../state/store.ts";
import { type DraftPlace, keepDraft, keepPreviews, readDraft, readPreviews } from "./drafts.ts";

/** The field grows with its text up to this height. */
const TALLEST_PX = 200;

export interface Field {
  ref: RefObject<HTMLTextAreaElement | null>;
  text: string;
  /** Sets text that was typed; the browser places the caret. */
  write(text: string): void;
  /** Sets the text and the caret, and takes the focus. */
  put(text: string, caret: number): void;
  /** Inserts text at the caret. */
  insert(piece: string): void;
  /** The links in the text get previews. The choice is of this draft: an empty field has none. */
  previews: boolean;
  setPreviews(isOn: boolean): void;
}

/** The text field: it grows with its text, which is stored as a draft. */
export function useDraftField(self: string | null, { channelId, rootId }: DraftPlace): Field {
  const ref = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState(() => readDraft(self, { channelId, rootId }));
  /** The caret position to set after the next render; null: leave it. */
  const [caret, setCaret] = useState<number | null>(null);
  const [previews, showPreviews] = useState(() => readPreviews(self, { channelId, rootId }));
  const setPreviews = useCallback(
    (isOn: boolean) => {
      showPreviews(isOn);
      keepPreviews(self, { channelId, rootId }, isOn);
    },
    [self, channelId, rootId],
  );
  const write = useCallback(
    (next: string) => {
      setText(next);
      keepDraft(self, { channelId, rootId }, next);
      if (next === "") setPreviews(true);
    },
    [self, channelId, rootId, setPreviews],
  );
  const put = useCallback(
    (next: string, at: number) => {
      write(next);
      setCaret(at);
    },
    [write],
  );
  const insert = useCallback(
    (piece: string) => {
      const { current } = ref;
      if (current === null) return;
      const { value, selectionStart: at } = current;
      put(value.slice(0, at) + piece + value.slice(at), at + piece.length);
    },
    [put],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height depends on the text
  useLayoutEffect(() => {
    const { current } = ref;
    if (current === null) return;
    current.style.height = "auto";
    current.style.height = `${Math.min(current.scrollHeight, TALLEST_PX)}px`;
    if (caret === null) return;
    current.focus();
    current.setSelectionRange(caret, caret);
    setCaret(null);
  }, [text, caret]);
  return { ref, text, write, put, insert, previews, setPreviews };
}

/** Focuses the field when the page opens and when a reply begins, and inserts text requested elsewhere, such as a name. */
export function useComposeState({ ref, insert }: Field, composeState: ComposeState): void {
  const replyTo = useStore(composeState.replyTo);
  useLayoutEffect(() => {
    // On a phone the keyboard would cover the conversation.
    if (matchMedia("(pointer: fine)").matches) ref.current?.focus();
  }, [ref]);
  useLayoutEffect(() => {
    if (replyTo !== null) ref.current?.focus();
  }, [ref, replyTo]);
  useEffect(
    () =>
      composeState.insert.subscribe(() => {
        const asked = composeState.insert.get();
        if (asked !== null) insert(asked.text);
      }),
    [composeState, insert],
  );
}
