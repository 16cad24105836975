import type { Channel } from "@parley/protocol/models";
import { type MouseEvent, memo, useRef, useState } from "react";
import { useTexts } from "../../i18n/use-texts.ts";
import { channelAttention } from "../../model/calls/attention.ts";
import { labelOf } from "../../model/channel-groups.ts";
import { Avatar, Name } from "../../people/avatar.tsx";
import { PresenceDot, usePresence } from "../../people/presence-dot.tsx";
import { later, lazy } from "../../session/lazy.tsx";
import { useParley } from "../../session/parley-context.ts";
import { channelHref } from "../../state/route.ts";
import { useStore } from "../../state/store.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { DialogBoundary } from "../../ui/dialog-boundary.tsx";
import { LockIcon, MoreIcon, MutedIcon } from "../../ui/icons.tsx";
import { Popover } from "../../ui/popover.tsx";
import { useLongPress } from "../../ui/use-long-press.ts";

const ChannelMenu = later(async () => (await import("./channel-menu.tsx")).ChannelMenu);
const DraftMark = lazy(async () => (await import("./draft-mark.tsx")).DraftMark);
const SectionDialog = lazy(async () => (await import("./section-dialog.tsx")).SectionDialog);

/** Memoized: renders only when its channel changes, because other channels' counts change all the time. */
export const ChannelLink = memo(function ChannelLink({
  channel,
  isCollapsed,
}: {
  channel: Channel;
  isCollapsed: boolean;
}) {
  const parley = useParley();
  const texts = useTexts();
  const route = useStore(parley.route);
  const { count, hasUnread, hasMention, isMuted } = useAttention(channel);
  const isOnline = usePresence(channel.direct_with);
  const isCurrent = parley.channelAt(route)?.id === channel.id;
  const row = useRow();
  if (isCollapsed && !isCurrent && count === 0) return null;
  const hasMenu = channel.my_role !== null;
  return (
    <li className="channel-row" ref={row.ref} {...(hasMenu && row.handlers)}>
      <a
        className="channel-link"
        href={channelHref(channel.channel_slug)}
        aria-current={isCurrent ? "page" : undefined}
        // Not a part of the name, which stays the same.
        aria-description={isOnline ? texts.people.isOnline : undefined}
        data-unread={hasUnread || hasMention ? "" : undefined}
        data-muted={isMuted ? "" : undefined}
      >
        {channel.is_direct ? (
          <span className="pictured" aria-hidden="true">
            <Avatar name={labelOf(channel)} isAgent={channel.direct_with_agent != null} isSmall />
            {channel.direct_with !== null && <PresenceDot name={channel.direct_with} />}
          </span>
        ) : (
          <span className="hash" aria-hidden="true">
            {channel.is_private ? <LockIcon /> : "#"}
          </span>
        )}
        <bdi className="label">
          {channel.direct_with === null ? labelOf(channel) : <Name name={channel.direct_with} />}
        </bdi>
        {!isCurrent && <DraftMark channelId={channel.id} />}
        {isMuted && (
          <span className="muted-mark">
            <MutedIcon />
            <span className="visually-hidden">, {texts.calls.muted}</span>
          </span>
        )}
        {count > 0 && (
          <span className={hasMention || channel.is_direct ? "count mentioned" : "count"}>
            <span aria-hidden="true">{count >= 100 ? "99+" : count}</span>
            <span className="visually-hidden">
              {texts.channels.unread(count)}
              {hasMention && `, ${texts.channels.mention}`}
            </span>
          </span>
        )}
      </a>
      {hasMenu && (
        <Popover label={texts.sidebar.actions(labelOf(channel))} className="icon-button row-menu" button={<MoreIcon />}>
          {(close) => <ChannelMenu channel={channel} close={close} onSection={() => row.setDialog("section")} />}
        </Popover>
      )}
      {row.dialog !== null && (
        <DialogBoundary onClose={() => row.setDialog(null)}>
          {row.dialog === "section" ? (
            <SectionDialog channel={channel} onClose={() => row.setDialog(null)} />
          ) : (
            <Dialog title={labelOf(channel)} kind="sheet" onClose={() => row.setDialog(null)}>
              <ChannelMenu
                channel={channel}
                close={() => row.setDialog(null)}
                onSection={() => row.setDialog("section")}
              />
            </Dialog>
          )}
        </DialogBoundary>
      )}
    </li>
  );
});

function useAttention(channel: Channel) {
  const parley = useParley();
  const mentions = useStore(parley.channels.mentions.all).get(channel.id)?.size ?? 0;
  return channelAttention(channel, mentions, useStore(parley.calls.preferences.notifications));
}

/** The row's menu opens as a sheet after a long press, and beside its button by a right click or the menu key. */
function useRow() {
  const ref = useRef<HTMLLIElement>(null);
  const [dialog, setDialog] = useState<"menu" | "section" | null>(null);
  const press = useLongPress(() => setDialog("menu"), "button");
  const open = () => ref.current?.querySelector<HTMLElement>(".row-menu")?.click();
  const onContextMenu = (event: MouseEvent) => {
    press.onContextMenu(event);
    if (event.defaultPrevented || !(event.target instanceof Element) || event.target.closest("a") === null) return;
    event.preventDefault();
    // Where the menu key or a mouse opens it on pressing, lifting the button would close it again.
    if (event.buttons === 0) open();
    else addEventListener("pointerup", () => setTimeout(open), { once: true });
  };
  return { ref, dialog, setDialog, handlers: { ...press, onContextMenu } };
}
