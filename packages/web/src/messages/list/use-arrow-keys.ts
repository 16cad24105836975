import { useCallback, useState } from "react";
import type { Row } from "./rows.ts";
import type { Scroll } from "./scroll.ts";

interface ArrowKeys {
  /** The id of the hovered or focused message. */
  active: number | null;
  /** A message becomes active, or no longer is. The latter leaves another active message alone. */
  setActive(messageId: number, isActive: boolean): void;
  /** The one message that Tab reaches; arrow keys move on from it. */
  stop: number | null;
  /** Moves from a message to the previous or next one. */
  step(messageId: number, by: -1 | 1): void;
}

/** Keyboard navigation through the messages. */
export function useArrowKeys(scroll: Scroll, rows: readonly Row[]): ArrowKeys {
  const [active, setState] = useState<number | null>(null);
  const setActive = useCallback(
    // By the state of this moment: focus may come and go between two renders, as when a closing dialog restores it.
    (messageId: number, isActive: boolean) =>
      setState((current) => (isActive ? messageId : current === messageId ? null : current)),
    [],
  );
  const step = useCallback(
    (messageId: number, by: -1 | 1) => {
      const index = rows.findIndex((row) => row.kind === "message" && row.message.id === messageId) + by;
      const row = rows[index];
      if (row?.kind !== "message") return;
      scroll.list.current?.scrollToIndex(index, { align: "nearest" });
      setActive(row.message.id, true);
      requestAnimationFrame(() => {
        scroll.scroller.current?.querySelector<HTMLElement>(`[data-id="${row.message.id}"]`)?.focus();
      });
    },
    [scroll, rows, setActive],
  );
  const last = rows.findLast((row) => row.kind === "message");
  return { active, setActive, stop: active ?? (last?.kind === "message" ? last.message.id : null), step };
}
