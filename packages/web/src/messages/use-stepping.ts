import { useCallback, useState } from "react";
import type { Row } from "./rows.ts";
import type { Scroll } from "./scroll.ts";

interface Stepping {
  /** The message that is pointed at or focused, by id. */
  active: number | null;
  setActive(messageId: number | null): void;
  /** The one message that Tab reaches; the arrows lead on from it. */
  stop: number | null;
  /** From a message to the one before or after it. */
  step(messageId: number, by: -1 | 1): void;
}

/** Going through the messages by keyboard. */
export function useStepping(scroll: Scroll, rows: readonly Row[]): Stepping {
  const [active, setState] = useState<number | null>(null);
  const setActive = useCallback(
    (messageId: number | null) => {
      // On the way to a menu the pointer may cross other messages.
      const hasMenu = scroll.scroller.current?.querySelector(".actions :popover-open") != null;
      if (!hasMenu) setState(messageId);
    },
    [scroll],
  );
  const step = useCallback(
    (messageId: number, by: -1 | 1) => {
      const index = rows.findIndex((row) => row.kind === "message" && row.message.id === messageId) + by;
      const row = rows[index];
      if (row?.kind !== "message") return;
      scroll.list.current?.scrollToIndex(index, { align: "nearest" });
      setActive(row.message.id);
      requestAnimationFrame(() => {
        scroll.scroller.current?.querySelector<HTMLElement>(`[data-id="${row.message.id}"]`)?.focus();
      });
    },
    [scroll, rows, setActive],
  );
  const last = rows.findLast((row) => row.kind === "message");
  return { active, setActive, stop: active ?? (last?.kind === "message" ? last.message.id : null), step };
}
