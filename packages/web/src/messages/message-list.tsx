import type { ChannelRecord } from "@parley/protocol/records";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState, type WheelEvent } from "react";
import { Virtualizer, type VirtualizerHandle } from "virtua";
import { BackIcon, DownIcon } from "../app/icons.tsx";
import { useSelf, useTexts } from "../app/parley-context.ts";
import { useStore } from "../app/store.ts";
import { ChannelStart } from "./channel-start.tsx";
import { MessageRow } from "./message-row.tsx";
import type { Room } from "./room.ts";
import { type Row, rowsOf } from "./rows.ts";
import { SendingRow } from "./sending-row.tsx";
import { useFound } from "./use-found.ts";
import { useReading } from "./use-reading.ts";

/** Closer to the end than this the list follows it. */
const NEAR_PX = 80;
/** Closer to an edge than this the next page is fetched. */
const AHEAD_PX = 800;

/** By these a person scrolls. */
const HANDLING = ["wheel", "touchmove", "pointerdown", "keydown"] as const;

/** The rows, with the objects of the last drawing where nothing changed, so that those are not drawn again. */
function useRows(room: Room): Row[] {
  const { messages, hasOlder, newAfterSeq } = useStore(room.view);
  const sending = useStore(room.sends.all);
  const self = useSelf();
  const last = useRef<ReadonlyMap<string, Row>>(new Map());
  const rows = useMemo(
    () => rowsOf({ messages, sending, hasOlder, newAfterSeq, self }, last.current),
    [messages, sending, hasOlder, newAfterSeq, self],
  );
  useEffect(() => {
    last.current = new Map(rows.map((row) => [row.key, row]));
  }, [rows]);
  return rows;
}

/** By hand: the list's own way to its end goes on for a while, whatever the person does meanwhile. */
function toBottom(scroller: HTMLElement | null): void {
  if (scroller !== null) scroller.scrollTop = scroller.scrollHeight;
}

/** The conversation. Only what is in sight is in the page, however long it is. */
export function MessageList({ room, channel }: { room: Room; channel: ChannelRecord }) {
  const texts = useTexts();
  const view = useStore(room.view);
  const rows = useRows(room);
  const list = useRef<VirtualizerHandle>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  /** Has a person's hand been on the list since it was at its end? */
  const handled = useRef(false);
  const offset = useRef(0);
  const size = useRef(0);
  const firstKey = useRef<string | undefined>(undefined);
  const [isAtEnd, setAtEnd] = useState(true);
  const [active, setActive] = useState<number | null>(null);
  const { found, setFound } = useFound(scroller);
  useReading(room, channel, isAtEnd && !view.hasNewer);

  // Rows that come or go at the beginning must not move what is in sight.
  const isShifted = firstKey.current !== undefined && rows[0]?.key !== firstKey.current;
  useLayoutEffect(() => {
    firstKey.current = rows[0]?.key;
    if (follows.current) toBottom(scroller.current);
  }, [rows]);
  // Rows that are measured, pictures that come, a phone's keyboard: the end stays in sight.
  useEffect(() => {
    const { current } = scroller;
    if (current === null || view.state !== "ready") return;
    const observer = new ResizeObserver(() => follows.current && toBottom(current));
    for (const element of [current, ...current.children]) observer.observe(element);
    const handle = () => {
      handled.current = true;
    };
    for (const kind of HANDLING) current.addEventListener(kind, handle, { passive: true });
    return () => {
      observer.disconnect();
      for (const kind of HANDLING) current.removeEventListener(kind, handle);
    };
  }, [view.state]);

  const { place, state } = view;
  const seen = useRef<object | null>(null);
  useLayoutEffect(() => {
    if (state !== "ready" || seen.current === place) return;
    const index = rows.findIndex((row) => row.kind === "message" && row.message.id === place.messageId);
    // It is fetched, and drawn with one of the next pictures.
    if (index === -1 && place.messageId !== null) return;
    seen.current = place;
    follows.current = index === -1;
    setFound(index === -1 ? null : place.messageId);
    if (index === -1) toBottom(scroller.current);
    else list.current?.scrollToIndex(index, { align: "center" });
  }, [place, state, rows, setFound]);

  const scrolled = () => {
    const { current } = list;
    if (current === null) return;
    const { scrollOffset, scrollSize, viewportSize } = current;
    const rest = scrollSize - scrollOffset - viewportSize;
    if (rest < NEAR_PX) {
      follows.current = !view.hasNewer;
      handled.current = false;
    }
    // A person scrolls up, by hand or by finding a word. Rows that are measured move the place too, and change the size.
    else if (scrollOffset < offset.current - 1 && (handled.current || scrollSize === size.current)) {
      follows.current = false;
    }
    size.current = scrollSize;
    offset.current = scrollOffset;
    setAtEnd(follows.current || rest < NEAR_PX);
    room.setAtEnd(follows.current);
    if (scrollOffset < AHEAD_PX) room.loadOlder();
    if (rest < AHEAD_PX && view.hasNewer) room.loadNewer();
  };
  // A person's wheel is known before the scrolling it makes.
  const wheeled = ({ deltaY, currentTarget }: WheelEvent) => {
    if (deltaY < 0 && currentTarget.scrollTop > 0) follows.current = false;
  };
  const step = useCallback(
    (messageId: number, by: -1 | 1) => {
      const index = rows.findIndex((row) => row.kind === "message" && row.message.id === messageId) + by;
      const row = rows[index];
      if (row?.kind !== "message") return;
      list.current?.scrollToIndex(index, { align: "nearest" });
      setActive(row.message.id);
      requestAnimationFrame(() => {
        scroller.current?.querySelector<HTMLElement>(`[data-id="${row.message.id}"]`)?.focus();
      });
    },
    [rows],
  );
  const toEnd = () => {
    follows.current = true;
    setAtEnd(true);
    room.setAtEnd(true);
    room.look(null);
  };
  const lastMessage = rows.findLast((row) => row.kind === "message");
  const stop = active ?? (lastMessage?.kind === "message" ? lastMessage.message.id : null);
  const hasReturn = useStore(room.returns).length > 0;
  const hasUnseen = !isAtEnd && (channel.unread_count ?? 0) > 0;
  return (
    <div className="scroll-frame">
      <div className="scroller" ref={scroller} onWheel={wheeled} aria-busy={state === "loading"}>
        {state === "failed" && (
          <p className="empty">
            {texts.messages.failed}{" "}
            <button type="button" className="link" onClick={() => room.retry()}>
              {texts.app.retry}
            </button>
          </p>
        )}
        {state === "ready" && (
          <Virtualizer
            ref={list}
            scrollRef={scroller}
            as="ol"
            item="li"
            data={rows}
            shift={isShifted}
            bufferSize={400}
            onScroll={scrolled}
          >
            {(row: Row) => {
              if (row.kind === "start") return <ChannelStart key={row.key} channel={channel} />;
              if (row.kind === "sending") return <SendingRow key={row.key} sending={row.sending} room={room} />;
              const { id } = row.message;
              return (
                <MessageRow
                  key={row.key}
                  row={row}
                  room={room}
                  isActive={id === active}
                  isStop={id === stop}
                  isFound={id === found}
                  onActive={setActive}
                  onStep={step}
                />
              );
            }}
          </Virtualizer>
        )}
      </div>
      <div className="jumps">
        {hasReturn && (
          <button type="button" className="jump" onClick={() => room.back()}>
            <BackIcon />
            <span>{texts.messages.back}</span>
          </button>
        )}
        {(!isAtEnd || view.hasNewer) && (
          <button
            type="button"
            className={hasUnseen ? "jump new" : "jump"}
            aria-label={texts.messages.jump}
            onClick={toEnd}
          >
            {hasUnseen && <span>{texts.messages.jumpNew}</span>}
            <DownIcon />
          </button>
        )}
      </div>
    </div>
  );
}
