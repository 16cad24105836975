import type { Channel } from "@parley/protocol/models";
import { useState } from "react";
import { useTexts } from "../i18n/use-texts.ts";
import { labelOf } from "../model/channel-groups.ts";
import type { ChannelSession } from "../model/channel-session.ts";
import { fileLimitsOf } from "../model/files/file-limits.ts";
import { AgentBadge, Name } from "../people/avatar.tsx";
import { StatusLine } from "../people/status.ts";
import { lazy } from "../session/lazy.tsx";
import { useSite } from "../session/use-site.ts";
import { useStore } from "../state/store.ts";
import { DialogBoundary } from "../ui/dialog-boundary.tsx";
import { FilesIcon, GearIcon, LockIcon, PeopleIcon, PinIcon, SearchIcon } from "../ui/icons.tsx";
import { MenuButton } from "./menu-button.tsx";
import { type Panel, togglerOf } from "./side-panel.tsx";

const ChannelSettings = lazy(async () => (await import("./channel-settings.tsx")).ChannelSettings);

interface Props {
  channel: Channel;
  channelSession: ChannelSession;
  panel: Panel | "thread" | null;
  /** True if the user cannot read the channel yet. */
  isLocked: boolean;
  onPanel(panel: Panel): void;
  onMenu(): void;
}

/** The channel's name, and the buttons that open its panels and settings. */
export function ChannelHeader({ channel, channelSession, panel, isLocked, onPanel, onMenu }: Props) {
  const texts = useTexts();
  const { count } = useStore(channelSession.people);
  const takesFiles = fileLimitsOf(useSite()) !== null;
  const days = channel.effective_retention_days;
  const [isSetting, setSetting] = useState(false);
  const toggle = (which: Panel, label: string, icon: React.ReactNode) => (
    <button
      type="button"
      id={togglerOf(which)}
      className="icon-button"
      aria-label={label}
      title={label}
      aria-expanded={panel === which}
      onClick={() => onPanel(which)}
    >
      {icon}
    </button>
  );
  return (
    <header className="bar">
      <MenuButton onMenu={onMenu} />
      <div className="title">
        <h2>
          {!channel.is_direct && (
            <span className="hash" aria-hidden="true">
              {channel.is_private ? <LockIcon /> : "#"}
            </span>
          )}
          {channel.direct_with === null ? <bdi>{labelOf(channel)}</bdi> : <Name name={channel.direct_with} />}
          {channel.direct_with_agent != null && <AgentBadge />}
        </h2>
        {channel.direct_with !== null && (
          <p className="topic">
            <StatusLine name={channel.direct_with} />
          </p>
        )}
        {channel.topic !== null && (
          <p className="topic" dir="auto" title={channel.topic}>
            {channel.topic}
          </p>
        )}
        {days !== null && <p className="topic">{texts.channels.limited(days)}</p>}
      </div>
      {!isLocked && (
        <>
          {toggle("search", texts.messages.search, <SearchIcon />)}
          {toggle("pins", texts.messages.pins, <PinIcon />)}
          {takesFiles && toggle("files", texts.files.title, <FilesIcon />)}
          {toggle(
            "people",
            texts.people.onlineCount(count),
            <>
              <PeopleIcon />
              <span className="number" aria-hidden="true">
                {count}
              </span>
            </>,
          )}
        </>
      )}
      {channel.my_role !== null && (
        <button
          type="button"
          className="icon-button"
          aria-label={texts.channels.settings}
          title={texts.channels.settings}
          onClick={() => setSetting(true)}
        >
          <GearIcon />
        </button>
      )}
      {isSetting && (
        <DialogBoundary onClose={() => setSetting(false)}>
          <ChannelSettings channel={channel} onClose={() => setSetting(false)} />
        </DialogBoundary>
      )}
    </header>
  );
}
