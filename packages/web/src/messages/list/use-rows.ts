import { useEffect, useLayoutEffect, useMemo, useRef } from "react";
import type { Conversation } from "../../model/conversation.ts";
import { useSelf } from "../../session/parley-context.ts";
import { useStore } from "../../state/store.ts";
import { type Row, rowsOf } from "./rows.ts";

/** Builds the rows, reusing unchanged objects from the last render so that they are not rendered again. */
export function useRows(channelSession: Conversation): Row[] {
  const { messages, hasOlder, hasNewer, newAfterSeq } = useStore(channelSession.view);
  const sending = useStore(channelSession.pendingMessages.all);
  const growing = useStore(channelSession.growing.all);
  const self = useSelf();
  const last = useRef<ReadonlyMap<string, Row>>(new Map());
  const rows = useMemo(
    () =>
      rowsOf(
        {
          messages,
          sending: sending.filter((each) => channelSession.isSendingHere(each)),
          growing: hasNewer ? [] : growing.filter((each) => channelSession.isWritingHere(each)),
          hasOlder,
          newAfterSeq,
          self,
        },
        last.current,
      ),
    [channelSession, messages, sending, growing, hasOlder, hasNewer, newAfterSeq, self],
  );
  useEffect(() => {
    last.current = new Map(rows.map((row) => [row.key, row]));
  }, [rows]);
  return rows;
}

/** True if the first row differs from the last render. Such a change must not move the visible rows. */
export function useShifted(rows: readonly Row[]): boolean {
  const firstKey = useRef<string | undefined>(undefined);
  const isShifted = firstKey.current !== undefined && rows[0]?.key !== firstKey.current;
  useLayoutEffect(() => {
    firstKey.current = rows[0]?.key;
  }, [rows]);
  return isShifted;
}
