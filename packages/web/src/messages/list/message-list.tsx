import type { ChannelRecord } from "@parley/protocol/records";
import { Virtualizer } from "virtua";
import type { Room } from "../../model/channel-session.ts";
import { useTexts } from "../../session/parley-context.ts";
import { useStore } from "../../state/store.ts";
import { MessageRow } from "../message-row.tsx";
import { SendingRow } from "../pending-row.tsx";
import { ChannelStart } from "./channel-start.tsx";
import { Jumps } from "./jump-buttons.tsx";
import type { Row } from "./rows.ts";
import { useScroll } from "./scroll.ts";
import { useStepping } from "./use-arrow-keys.ts";
import { useEnd } from "./use-follow-end.ts";
import { useReading } from "./use-mark-read.ts";
import { useRows, useShifted } from "./use-rows.ts";
import { useScrolling } from "./use-scroll-state.ts";
import { usePlace } from "./use-scroll-target.ts";

interface Props {
  room: Room;
  channel: ChannelRecord;
}

/** The conversation. It is virtualized: only visible rows are in the DOM. */
export function MessageList({ room, channel }: Props) {
  const view = useStore(room.view);
  const rows = useRows(room);
  const isShifted = useShifted(rows);
  const scroll = useScroll();
  const { isAtEnd, scrolled, wheeled, toEnd } = useScrolling(scroll, room, view.hasNewer);
  const { active, setActive, stop, step } = useStepping(scroll, rows);
  useReading(room, channel, isAtEnd && !view.hasNewer);
  useEnd(scroll, rows, view.state === "ready");
  const found = usePlace(scroll, rows, view);
  const drawn = (row: Row) => {
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
  };
  return (
    <div className="scroll-frame">
      <div className="scroller" ref={scroll.scroller} onWheel={wheeled} aria-busy={view.state === "loading"}>
        {view.state === "failed" && <Failed room={room} />}
        {view.state === "ready" && (
          <Virtualizer
            ref={scroll.list}
            scrollRef={scroll.scroller}
            as="ol"
            item="li"
            data={rows}
            shift={isShifted}
            bufferSize={400}
            onScroll={scrolled}
          >
            {drawn}
          </Virtualizer>
        )}
      </div>
      <Jumps
        room={room}
        isAway={!isAtEnd || view.hasNewer}
        hasUnseen={!isAtEnd && (channel.unread_count ?? 0) > 0}
        onEnd={toEnd}
      />
    </div>
  );
}

function Failed({ room }: { room: Room }) {
  const { app, messages: texts } = useTexts();
  return (
    <p className="empty">
      {texts.failed}{" "}
      <button type="button" className="link" onClick={() => room.retry()}>
        {app.retry}
      </button>
    </p>
  );
}
