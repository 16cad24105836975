import type { Channel } from "@parley/protocol/models";
import { memo, useState } from "react";
import { AccountBar } from "../account/account-bar.tsx";
import { SecurityNotices } from "../account/security-notices.tsx";
import { useTexts } from "../i18n/use-texts.ts";
import { Avatar } from "../people/avatar.tsx";
import { useParley, useSelf } from "../session/parley-context.ts";
import { channelHref } from "../state/route.ts";
import { useStore } from "../state/store.ts";
import { DialogBoundary } from "../ui/dialog-boundary.tsx";
import { CloseIcon, LockIcon, PlusIcon } from "../ui/icons.tsx";
import { ConnectionLine } from "./connection-line.tsx";
import { CreateChannel } from "./create-channel.tsx";

/** The user's channels and conversations, and other public channels. */
export function Sidebar({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const parley = useParley();
  const texts = useTexts();
  const self = useSelf();
  const { channels, state, hasMore } = useStore(parley.channels.view);
  const [isCreating, setCreating] = useState(false);
  const direct = channels.filter(({ is_direct }) => is_direct);
  const mine = channels.filter(({ is_direct, my_role }) => !is_direct && (my_role !== null || self === null));
  const others = channels.filter(({ is_direct, my_role }) => !is_direct && my_role === null && self !== null);
  return (
    <>
      <div className="backdrop" aria-hidden="true" onClick={onClose} />
      <nav className="sidebar" aria-label={texts.channels.list} data-open={isOpen ? "" : undefined}>
        <header className="brand">
          <h1>
            <img src="/favicon.ico" alt="" width="26" height="26" />
            Parley
          </h1>
          <button type="button" className="icon-button only-narrow" aria-label={texts.app.closeMenu} onClick={onClose}>
            <CloseIcon />
          </button>
        </header>
        <ConnectionLine />
        <div className="lists">
          {state === "failed" && (
            <button type="button" className="secondary" onClick={() => void parley.channels.load()}>
              {texts.app.retry}
            </button>
          )}
          <ChannelGroup
            title={texts.channels.mine}
            channels={mine}
            {...(self === null ? {} : { onCreate: () => setCreating(true) })}
          />
          {direct.length > 0 && <ChannelGroup title={texts.channels.direct} channels={direct} />}
          {others.length > 0 && <ChannelGroup title={texts.channels.others} channels={others} />}
          {hasMore && <MoreChannels />}
        </div>
        <SecurityNotices />
        <AccountBar />
      </nav>
      {isCreating && (
        <DialogBoundary onClose={() => setCreating(false)}>
          <CreateChannel onClose={() => setCreating(false)} />
        </DialogBoundary>
      )}
    </>
  );
}

/** A button that loads the next page, until the last one is loaded. */
function MoreChannels() {
  const parley = useParley();
  const texts = useTexts();
  const [isBusy, setBusy] = useState(false);
  const read = async () => {
    setBusy(true);
    await parley.channels.loadMore().catch((error: unknown) => parley.showError(error));
    setBusy(false);
  };
  return (
    <button type="button" className="secondary" disabled={isBusy} onClick={() => void read()}>
      {texts.channels.showMore}
    </button>
  );
}

interface GroupProps {
  title: string;
  channels: readonly Channel[];
  onCreate?(): void;
}

function ChannelGroup({ title, channels, onCreate }: GroupProps) {
  const texts = useTexts();
  return (
    <section className="group">
      <div className="group-head">
        <h2>{title}</h2>
        {onCreate !== undefined && (
          <button
            type="button"
            className="icon-button"
            aria-label={texts.channels.create}
            title={texts.channels.create}
            onClick={onCreate}
          >
            <PlusIcon />
          </button>
        )}
      </div>
      <ul>
        {channels.map((channel) => (
          <ChannelLink key={channel.id} channel={channel} />
        ))}
      </ul>
    </section>
  );
}

/** Memoized: renders only when its channel changes, because other channels' counts change all the time. */
const ChannelLink = memo(function ChannelLink({ channel }: { channel: Channel }) {
  const parley = useParley();
  const texts = useTexts();
  const route = useStore(parley.route);
  const isMentioned = useStore(parley.channels.mentioned).has(channel.id);
  const isCurrent = parley.channelAt(route)?.id === channel.id;
  const unread = channel.unread_count ?? 0;
  return (
    <li>
      <a
        className="channel-link"
        href={channelHref(channel.channel_slug)}
        aria-current={isCurrent ? "page" : undefined}
        data-unread={unread > 0 ? "" : undefined}
      >
        {channel.is_direct ? (
          <Avatar name={channel.direct_with ?? "?"} isAgent={false} isSmall />
        ) : (
          <span className="hash" aria-hidden="true">
            {channel.is_private ? <LockIcon /> : "#"}
          </span>
        )}
        <bdi className="label">{channel.direct_with ?? channel.name}</bdi>
        {unread > 0 && (
          <span className={isMentioned || channel.is_direct ? "count mentioned" : "count"}>
            <span aria-hidden="true">{unread >= 100 ? "99+" : unread}</span>
            <span className="visually-hidden">
              {texts.channels.unread(unread)}
              {isMentioned && `, ${texts.channels.mention}`}
            </span>
          </span>
        )}
      </a>
    </li>
  );
});
