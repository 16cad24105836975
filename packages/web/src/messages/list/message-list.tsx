import { type ReactNode, useEffect, useState } from "react";
import { Virtualizer } from "virtua";
import { useTexts } from "../../i18n/use-texts.ts";
import type { Conversation } from "../../model/conversation.ts";
import { lazy } from "../../session/lazy.tsx";
import { useStore } from "../../state/store.ts";
import { DialogBoundary } from "../../ui/dialog-boundary.tsx";
import { ErrorBoundary } from "../../ui/error-boundary.tsx";
import { MessageRow } from "../message-row.tsx";
import { PendingRow } from "../pending-row.tsx";
import { JumpButtons } from "./jump-buttons.tsx";
import type { Row } from "./rows.ts";
import { firstInView, seenSeq, useScroll } from "./scroll.ts";
import { Skeleton } from "./skeleton.tsx";
import { useArrowKeys } from "./use-arrow-keys.ts";
import { useEditedRow } from "./use-edited-row.ts";
import { useFollowEnd } from "./use-follow-end.ts";
import { useMarkRead } from "./use-mark-read.ts";
import { useNewAbove } from "./use-new-above.ts";
import { useRows, useShifted } from "./use-rows.ts";
import { useScrollState } from "./use-scroll-state.ts";
import { useScrollTarget } from "./use-scroll-target.ts";

const MessageSheet = lazy(async () => (await import("../message-sheet.tsx")).MessageSheet);

interface Props {
  channelSession: Conversation;
  /** How many messages the user has not read. */
  unread: number;
  /** Called with the seq up to which the user has seen everything; null: the list is covered. */
  onRead: ((seq: number) => void) | null;
  /** Shown above the first message. */
  start: ReactNode;
}

/** The messages of a channel or a thread. The list is virtualized: only visible rows are in the DOM. */
export function MessageList({ channelSession, unread, onRead, start }: Props) {
  const view = useStore(channelSession.view);
  const rows = useRows(channelSession);
  const isShifted = useShifted(rows);
  const scroll = useScroll();
  const { isAtEnd, scrolled, wheeled, toEnd } = useScrollState(scroll, channelSession, view.hasNewer);
  const { active, setActive, stop, step } = useArrowKeys(scroll, rows);
  const isWholeRead = isAtEnd && !view.hasNewer;
  const seen = () => {
    const seq = seenSeq(scroll, rows);
    // Below the newest message there are only replies, which the channel does not show.
    return seq > 0 && seq === view.messages.at(-1)?.seq ? Math.max(seq, view.endSeq) : seq;
  };
  useMarkRead(channelSession, { isUnread: unread > 0, onRead }, isWholeRead, seen);
  useFollowEnd(scroll, rows, view.state === "ready");
  const newAbove = useNewAbove(scroll, rows, channelSession);
  useEffect(() => {
    channelSession.inView = () => firstInView(scroll, rows);
    return () => {
      channelSession.inView = () => null;
    };
  }, [channelSession, scroll, rows]);
  const found = useScrollTarget(scroll, rows, view, scrolled);
  const editedIndex = useEditedRow(scroll, rows, channelSession);
  /** The id of the message that was pressed long. */
  const [held, setHeld] = useState<number | null>(null);
  const heldMessage = held === null ? undefined : view.messages.find(({ id }) => id === held);
  const rowOf = (row: Row) => {
    if (row.kind === "start") return start;
    if (row.kind === "sending") return <PendingRow sending={row.sending} channelSession={channelSession} />;
    const { id } = row.message;
    const isGrowing = row.kind === "growing";
    return (
      <MessageRow
        row={row}
        channelSession={channelSession}
        isActive={id === active}
        isStop={id === stop}
        isFound={id === found}
        onActive={isGrowing ? nothing : setActive}
        onHold={isGrowing ? nothing : setHeld}
        onStep={step}
      />
    );
  };
  const drawn = (row: Row) => (
    <ErrorBoundary key={row.key} fallback={<FailedRow />} resetKey={row}>
      {rowOf(row)}
    </ErrorBoundary>
  );
  return (
    <div className="scroll-frame">
      <div className="scroller" ref={scroll.scroller} onWheel={wheeled} aria-busy={view.state === "loading"}>
        {view.state === "loading" && <Skeleton />}
        {view.state === "failed" && <Failed channelSession={channelSession} />}
        {view.state === "ready" && (
          <Virtualizer
            ref={scroll.list}
            scrollRef={scroll.scroller}
            as="ol"
            item="li"
            data={rows}
            shift={isShifted}
            bufferSize={400}
            keepMounted={editedIndex}
            onScroll={scrolled}
          >
            {drawn}
          </Virtualizer>
        )}
      </div>
      <JumpButtons
        channelSession={channelSession}
        newAbove={newAbove}
        isAway={!isAtEnd || view.hasNewer}
        hasUnseen={!isAtEnd && unread > 0}
        onEnd={toEnd}
      />
      {heldMessage?.is_deleted === false && (
        <DialogBoundary onClose={() => setHeld(null)}>
          <MessageSheet message={heldMessage} channelSession={channelSession} onClose={() => setHeld(null)} />
        </DialogBoundary>
      )}
    </div>
  );
}

const nothing = () => {};

function FailedRow() {
  const { failures } = useTexts();
  return <p className="failed-row muted">{failures.message}</p>;
}

function Failed({ channelSession }: { channelSession: Conversation }) {
  const { app, messages: texts } = useTexts();
  return (
    <p className="empty">
      {texts.failed}{" "}
      <button type="button" className="link" onClick={() => channelSession.retry()}>
        {app.retry}
      </button>
    </p>
  );
}
