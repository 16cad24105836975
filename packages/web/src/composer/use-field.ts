import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { useStore } from "../app/store.ts";
import type { Speaking } from "../messages/speaking.ts";
import { keepDraft, readDraft } from "./drafts.ts";

/** No taller than this the field grows with its text. */
const TALLEST_PX = 200;

export interface Field {
  ref: RefObject<HTMLTextAreaElement | null>;
  text: string;
  /** Another text, by typing: the caret is where the browser has it. */
  write(text: string): void;
  /** Another text with the caret at a place in it; takes the focus. */
  put(text: string, caret: number): void;
  /** Puts something in where the caret is. */
  insert(piece: string): void;
}

/** The field one writes in: as tall as its text, which is kept as a draft. */
export function useField(self: string | null, channelId: number): Field {
  const ref = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState(() => readDraft(self, channelId));
  /** Where the caret shall be after the next drawing; null: where it is. */
  const [caret, setCaret] = useState<number | null>(null);
  const write = useCallback(
    (next: string) => {
      setText(next);
      keepDraft(self, channelId, next);
    },
    [self, channelId],
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: the field grows with its text
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
  return { ref, text, write, put, insert };
}

/** Gives the field the focus when the page opens and when an answer is begun, and puts in what is asked elsewhere, such as a name. */
export function useCalls({ ref, insert }: Field, speaking: Speaking): void {
  const replyTo = useStore(speaking.replyTo);
  useEffect(() => {
    // On a phone the keyboard would cover what one came to read.
    if (matchMedia("(pointer: fine)").matches) ref.current?.focus();
  }, [ref]);
  useEffect(() => {
    if (replyTo !== null) ref.current?.focus();
  }, [ref, replyTo]);
  useEffect(
    () =>
      speaking.insert.subscribe(() => {
        const asked = speaking.insert.get();
        if (asked !== null) insert(asked.text);
      }),
    [speaking, insert],
  );
}
