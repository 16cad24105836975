import type { Channel } from "@parley/protocol/models";
import { useEffect, useRef, useState } from "react";
import { Composer } from "../composer/composer.tsx";
import { Announcer } from "../messages/list/announcer.tsx";
import { ChannelStart } from "../messages/list/channel-start.tsx";
import { MessageList } from "../messages/list/message-list.tsx";
import { useKeptUnread } from "../messages/unread/use-kept-unread.ts";
import { labelOf } from "../model/channel-groups.ts";
import { isLocked } from "../model/channel-list.ts";
import { TypingLine } from "../people/typing-line.tsx";
import { later, lazy } from "../session/lazy.tsx";
import { useParley } from "../session/parley-context.ts";
import { replaceAddress } from "../state/current-route.ts";
import { channelHref, hrefOf, type Route } from "../state/route.ts";
import { useStore } from "../state/store.ts";
import { useCover } from "../ui/covers/use-cover.ts";
import { useMedia } from "../ui/use-media.ts";
import { ChannelHeader } from "./channel-header.tsx";
import { ConnectionBanner } from "./connection-banner.tsx";
import { NoChannel } from "./no-channel.tsx";
import { type Panel, SidePanel } from "./side-panel.tsx";

/** Wide enough to show the online list beside the conversation. */
const WIDE = "(min-width: 1080px)";
/** A thread covers the whole channel. */
const PHONE = "(max-width: 719px)";

const AboveComposer = later(async () => (await import("./above-composer.tsx")).AboveComposer);
const JoinPanel = lazy(async () => (await import("./join-panel.tsx")).JoinPanel);
const ThreadPanel = lazy(async () => (await import("./threads/thread-panel.tsx")).ThreadPanel);

/** The channel in the address. */
export function ChannelPage({ route, onMenu }: { route: Route; onMenu(): void }) {
  const parley = useParley();
  useStore(parley.channels.view);
  const channel = parley.channelAt(route);
  const before = useRef<Channel>(undefined);
  const renamed =
    channel === undefined && before.current !== undefined ? parley.channels.find(before.current.id) : undefined;
  useEffect(() => {
    // The channel's slug was changed while it was shown.
    if (renamed !== undefined && before.current?.channel_slug === route.slug) {
      replaceAddress(hrefOf({ ...route, slug: renamed.channel_slug }));
    } else before.current = channel;
  }, [channel, renamed, route]);
  if (channel === undefined) return <NoChannel isStart={route.slug === null} onMenu={onMenu} />;
  // The key resets all state when another channel is opened.
  return <OpenChannel key={channel.id} channel={channel} route={route} onMenu={onMenu} />;
}

interface OpenProps {
  channel: Channel;
  route: Route;
  onMenu(): void;
}

function OpenChannel({ channel, route, onMenu }: OpenProps) {
  const parley = useParley();
  const session = useStore(parley.session);
  const channelSession = parley.channelSession(channel.id);
  const isWide = useMedia(WIDE);
  /** The user's choice, or null for the default. */
  const [choice, setChoice] = useState<Panel | "none" | null>(null);
  const thread = useStore(channelSession.thread);
  const isPhone = useMedia(PHONE);
  const side = choice === "none" ? null : (choice ?? (isWide ? "people" : null));
  // The thread in the address covers the panel, which is there again when the thread closes.
  const panel = thread === null ? side : "thread";
  const isShut = isLocked(channel);
  useCover(thread === null && side !== null && !isShut && !isWide, () => setChoice("none"));
  const isKept = useKeptUnread(channel.unread_from_seq);
  const isUnreadKnown = channel.unread_count !== null;
  // Runs again when the user changes, when the channel becomes readable, and when it is known what is unread.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rest of the channel's record does not matter here
  useEffect(() => {
    if (!isShut) parley.show(channel, route);
  }, [parley, channel.id, route, session, isShut, isUnreadKnown]);
  useEffect(() => () => parley.hide(), [parley]);
  // On a narrow screen a panel covers the conversation, so a link to a message closes it, and so does zooming in.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each use of a link is a new route
  useEffect(() => {
    if (!isWide) setChoice(null);
  }, [route, isWide]);
  // A mention is written in the composer, which a panel covers, too.
  useEffect(
    () => channelSession.composeState.insert.subscribe(() => matchMedia(WIDE).matches || setChoice(null)),
    [channelSession],
  );
  const toggle = (next: Panel) => {
    setChoice(panel === next ? "none" : next);
    if (thread !== null) location.hash = channelHref(channel.channel_slug);
  };
  const mayJoin = session.state === "user" && channel.my_role === null;
  return (
    <main className="page" data-panel={panel === null || isShut ? undefined : panel}>
      <section className="conversation" id="conversation" aria-label={labelOf(channel)}>
        <ChannelHeader
          channel={channel}
          channelSession={channelSession}
          panel={panel}
          isLocked={isShut}
          onPanel={toggle}
          onMenu={onMenu}
        />
        {isShut ? (
          <JoinPanel channel={channel} />
        ) : (
          <>
            <MessageList
              channelSession={channelSession}
              unread={channel.unread_count ?? 0}
              onRead={isKept || (thread !== null && isPhone) ? null : (seq) => parley.reading.markRead(channel.id, seq)}
              start={<ChannelStart channel={channel} />}
            />
            <Announcer channelSession={channelSession} />
            <TypingLine typingUsers={channelSession.typingUsers} rootId={null} />
            <AboveComposer channel={channel} conversation={channelSession} />
            <ConnectionBanner />
            {mayJoin && <JoinPanel channel={channel} />}
            <Composer channelSession={channelSession} channel={channel} />
          </>
        )}
      </section>
      {thread !== null && !isShut && (
        <ThreadPanel key={thread.rootId} channel={channel} thread={thread} typingUsers={channelSession.typingUsers} />
      )}
      {thread === null && side !== null && !isShut && (
        <SidePanel panel={side} channel={channel} channelSession={channelSession} onClose={() => setChoice("none")} />
      )}
    </main>
  );
}
