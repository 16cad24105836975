import type { Channel } from "@parley/protocol/models";
import { memo, type ReactNode, useState } from "react";
import { AccountBar } from "../account/account-bar.tsx";
import { SecurityNotices } from "../account/security-notices.tsx";
import { useTexts } from "../i18n/use-texts.ts";
import { groupChannels } from "../model/channel-groups.ts";
import { Avatar } from "../people/avatar.tsx";
import { PresenceDot } from "../people/presence-dot.tsx";
import { useParley, useSelf } from "../session/parley-context.ts";
import { useSite } from "../session/use-site.ts";
import { channelHref } from "../state/route.ts";
import { useStore } from "../state/store.ts";
import { CloseIcon, GoIcon, LockIcon, PlusIcon } from "../ui/icons.tsx";
import { ConnectionLine } from "./connection-line.tsx";

/** The user's channels and conversations, and other public channels. */
export function Sidebar({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const parley = useParley();
  const texts = useTexts();
  const self = useSelf();
  const { channels, state, hasMore } = useStore(parley.channels.view);
  const siteName = useSite()?.name ?? "Parley";
  const { mine, direct, others } = groupChannels(channels, self === null);
  return (
    <>
      <div className="backdrop" aria-hidden="true" onClick={onClose} />
      <nav className="sidebar" aria-label={texts.channels.list} data-open={isOpen ? "" : undefined}>
        <header className="brand">
          <h1>
            <img src="/favicon.ico" alt="" width="26" height="26" />
            <bdi>{siteName}</bdi>
          </h1>
          <IconButton label={texts.channels.goTo} onPress={() => parley.openDialog.set({ window: "switcher" })}>
            <GoIcon />
          </IconButton>
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
            {...(self === null
              ? {}
              : {
                  create: {
                    label: texts.channels.create,
                    act: () => parley.openDialog.set({ window: "new channel" }),
                  },
                })}
          />
          {self !== null && (
            <ChannelGroup
              title={texts.channels.direct}
              channels={direct}
              create={{
                label: texts.channels.createDirect,
                act: () => parley.openDialog.set({ window: "new direct" }),
              }}
            />
          )}
          {others.length > 0 && <ChannelGroup title={texts.channels.others} channels={others} />}
          {hasMore && <MoreChannels />}
        </div>
        <SecurityNotices />
        <AccountBar />
      </nav>
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
  create?: { label: string; act(): void };
}

function ChannelGroup({ title, channels, create }: GroupProps) {
  return (
    <section className="group">
      <div className="group-head">
        <h2>{title}</h2>
        {create !== undefined && (
          <IconButton label={create.label} onPress={create.act}>
            <PlusIcon />
          </IconButton>
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
          <span className="pictured">
            <Avatar name={channel.direct_with ?? "?"} isAgent={false} isSmall />
            {channel.direct_with !== null && <PresenceDot name={channel.direct_with} />}
          </span>
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

function IconButton({ label, onPress, children }: { label: string; onPress(): void; children: ReactNode }) {
  return (
    <button type="button" className="icon-button" aria-label={label} title={label} onClick={onPress}>
      {children}
    </button>
  );
}
