import { useRef, useState } from "react";
import { AccountBar } from "../../account/account-bar.tsx";
import { useTexts } from "../../i18n/use-texts.ts";
import type { GroupKind } from "../../model/channel-groups.ts";
import { Bell } from "../../notifications/bell.tsx";
import { later, lazy } from "../../session/lazy.tsx";
import { useListedGroups } from "../../session/listed-groups.ts";
import { useParley, useSelf } from "../../session/parley-context.ts";
import { useSite } from "../../session/use-site.ts";
import { useStore } from "../../state/store.ts";
import { CloseIcon, GoIcon } from "../../ui/icons.tsx";
import { ConnectionLine } from "../connection-line.tsx";
import { ChannelGroup, type Maker } from "./channel-group.tsx";
import { IconButton } from "./icon-button.tsx";
import { CatchUpLink, ThreadsLink } from "./page-links.tsx";

const UnreadPills = later(async () => (await import("./unread-pills.tsx")).UnreadPills);
const SidebarNotes = lazy(async () => (await import("./sidebar-notes.tsx")).SidebarNotes);
const SecurityNotices = lazy(async () => (await import("../../account/security-notices.tsx")).SecurityNotices);

/** The user's channels and conversations, and other public channels. */
export function Sidebar({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const parley = useParley();
  const texts = useTexts();
  const self = useSelf();
  const { state, hasMore } = useStore(parley.channels.view);
  const siteName = useSite()?.name ?? "Parley";
  const hasNotices = useStore(parley.securityNotices.all).length > 0;
  const lists = useRef<HTMLDivElement>(null);
  const groups = useListedGroups();
  const makers: Partial<Record<GroupKind, Maker>> = {
    mine: { label: texts.channels.create, act: () => parley.openDialog.set({ window: "new channel" }) },
    direct: { label: texts.channels.createDirect, act: () => parley.openDialog.set({ window: "new direct" }) },
  };
  return (
    <>
      <div className="backdrop" aria-hidden="true" onClick={onClose} />
      <nav className="sidebar" aria-label={texts.channels.list} data-open={isOpen ? "" : undefined}>
        <header className="brand">
          <h1>
            <img src="/favicon.ico" alt="" width="26" height="26" />
            <bdi>{siteName}</bdi>
          </h1>
          {self !== null && <Bell />}
          <IconButton label={texts.channels.goTo} onPress={() => parley.openDialog.set({ window: "switcher" })}>
            <GoIcon />
          </IconButton>
          <button type="button" className="icon-button only-narrow" aria-label={texts.app.closeMenu} onClick={onClose}>
            <CloseIcon />
          </button>
        </header>
        <ConnectionLine />
        <CatchUpLink />
        <ThreadsLink />
        <div className="lists-frame">
          <div className="lists" ref={lists}>
            {state === "failed" && (
              <button type="button" className="secondary" onClick={() => void parley.channels.load()}>
                {texts.app.retry}
              </button>
            )}
            {groups.map((group) => (
              <ChannelGroup key={group.key} group={group} create={self === null ? undefined : makers[group.kind]} />
            ))}
            {hasMore && <MoreChannels />}
          </div>
          <UnreadPills lists={lists} groups={groups} />
        </div>
        <SidebarNotes />
        {hasNotices && <SecurityNotices />}
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
