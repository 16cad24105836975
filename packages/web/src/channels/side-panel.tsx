import type { Channel } from "@parley/protocol/models";
import { type ReactNode, useCallback, useEffect, useRef } from "react";
import { useTexts } from "../i18n/use-texts.ts";
import type { ChannelSession } from "../model/channel-session.ts";
import { lazy } from "../session/lazy.tsx";
import { isEscape } from "../ui/escape-key.ts";
import { CloseIcon } from "../ui/icons.tsx";

const PeoplePanel = lazy(async () => (await import("../people/people-panel.tsx")).PeoplePanel);

const PinsPanel = lazy(async () => (await import("../messages/pins-panel.tsx")).PinsPanel);

const SearchPanel = lazy(async () => (await import("../messages/search/search-panel.tsx")).SearchPanel);

const FilesPanel = lazy(async () => (await import("../files/files-panel.tsx")).FilesPanel);

export type Panel = "people" | "pins" | "files" | "search";

/** Returns the id of the button that toggles a panel; it receives the focus when the panel closes. */
export const togglerOf = (panel: Panel): string => `open-${panel}`;

interface Props {
  panel: Panel;
  channel: Channel;
  channelSession: ChannelSession;
  onClose(): void;
}

/** The panel beside the conversation. */
export function SidePanel({ panel, channel, channelSession, onClose }: Props) {
  const { messages, people, files, app } = useTexts();
  const aside = useRef<HTMLElement>(null);
  const close = useCallback(() => {
    document.getElementById(togglerOf(panel))?.focus();
    onClose();
  }, [panel, onClose]);
  useEffect(() => {
    const closing = (event: KeyboardEvent) => {
      if (isEscape(event) && aside.current?.contains(document.activeElement)) close();
    };
    addEventListener("keydown", closing);
    return () => removeEventListener("keydown", closing);
  }, [close]);
  const panels: Record<Panel, [title: string, body: ReactNode]> = {
    people: [people.online, <PeoplePanel key="people" channelSession={channelSession} channel={channel} />],
    pins: [messages.pins, <PinsPanel key="pins" channelSession={channelSession} channel={channel} />],
    files: [files.title, <FilesPanel key="files" channelSession={channelSession} channel={channel} />],
    search: [messages.search, <SearchPanel key="search" channelSession={channelSession} channel={channel} />],
  };
  const [title, body] = panels[panel];
  return (
    <aside className="side" aria-label={title} ref={aside}>
      <header>
        <h2>{title}</h2>
        <button type="button" className="icon-button" aria-label={app.close} onClick={close}>
          <CloseIcon />
        </button>
      </header>
      {body}
    </aside>
  );
}
