import type { ChannelRecord } from "@parley/protocol/records";
import { type ReactNode, useEffect, useRef } from "react";
import { isEscape } from "../app/escape.ts";
import { CloseIcon } from "../app/icons.tsx";
import { useTexts } from "../app/parley-context.ts";
import { PinsPanel } from "../messages/pins-panel.tsx";
import type { Room } from "../messages/room.ts";
import { SearchPanel } from "../messages/search-panel.tsx";
import { PeoplePanel } from "../people/people-panel.tsx";

export type Panel = "people" | "pins" | "search";

interface Props {
  panel: Panel;
  channel: ChannelRecord;
  room: Room;
  onClose(): void;
}

/** What is looked at beside the conversation. */
export function SidePanel({ panel, channel, room, onClose }: Props) {
  const { messages, people, app } = useTexts();
  const aside = useRef<HTMLElement>(null);
  useEffect(() => {
    const close = (event: KeyboardEvent) => {
      if (isEscape(event) && aside.current?.contains(document.activeElement)) onClose();
    };
    addEventListener("keydown", close);
    return () => removeEventListener("keydown", close);
  }, [onClose]);
  const panels: Record<Panel, [title: string, body: ReactNode]> = {
    people: [people.online, <PeoplePanel key="people" room={room} channel={channel} />],
    pins: [messages.pins, <PinsPanel key="pins" room={room} channel={channel} />],
    search: [messages.search, <SearchPanel key="search" channel={channel} />],
  };
  const [title, body] = panels[panel];
  return (
    <aside className="side" aria-label={title} ref={aside}>
      <header>
        <h2>{title}</h2>
        <button type="button" className="icon-button" aria-label={app.close} onClick={onClose}>
          <CloseIcon />
        </button>
      </header>
      {body}
    </aside>
  );
}
