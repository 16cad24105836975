import { useLayoutEffect, useMemo } from "react";
import type { Conversation } from "../../model/conversation.ts";
import { useStore } from "../../state/store.ts";
import type { Row } from "./rows.ts";
import type { Scroll } from "./scroll.ts";

/**
 * Scrolls to the message being edited when the edit begins. Returns its index, alone in a list or none: the row must stay
 * mounted when it is out of view, because it holds the text.
 */
export function useEditedRow(scroll: Scroll, rows: readonly Row[], channelSession: Conversation): readonly number[] {
  const editing = useStore(channelSession.composeState.editing);
  const index = rows.findLastIndex((row) => row.kind === "message" && row.message.id === editing);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when an edit begins; later the user may scroll away
  useLayoutEffect(() => {
    if (editing === null || index === -1) return;
    scroll.follows = false;
    scroll.list.current?.scrollToIndex(index, { align: "nearest" });
  }, [scroll, editing]);
  return useMemo(() => (index === -1 ? [] : [index]), [index]);
}
