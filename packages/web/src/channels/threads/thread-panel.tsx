import type { Channel } from "@parley/protocol/models";
import { useCallback, useEffect, useLayoutEffect, useRef } from "react";
import { Composer } from "../../composer/composer.tsx";
import { useTexts } from "../../i18n/use-texts.ts";
import { Announcer } from "../../messages/list/announcer.tsx";
import { MessageList } from "../../messages/list/message-list.tsx";
import { useKeptUnread } from "../../messages/unread/use-kept-unread.ts";
import { labelOf } from "../../model/channel-groups.ts";
import type { ThreadSession } from "../../model/threads/thread-session.ts";
import type { TypingUsers } from "../../model/typing-users.ts";
import { TypingLine } from "../../people/typing-line.tsx";
import { useParley } from "../../session/parley-context.ts";
import { channelHref, hrefOf } from "../../state/route.ts";
import { useStore } from "../../state/store.ts";
import { isEscape } from "../../ui/escape-key.ts";
import { CloseIcon } from "../../ui/icons.tsx";
import { AbsentMentions } from "../absent/absent-mentions.tsx";
import { ConnectionBanner } from "../connection-banner.tsx";
import { ThreadButtons, useManages } from "./thread-buttons.tsx";

interface Props {
  channel: Channel;
  thread: ThreadSession;
}

interface PanelProps extends Props {
  /** Of the channel; those who type in the thread are among them. */
  typingUsers: TypingUsers;
}

/** The thread in the address, beside its channel: the message that began it, the replies, and a composer. */
export function ThreadPanel({ channel, thread, typingUsers }: PanelProps) {
  const parley = useParley();
  const { threads: texts } = useTexts();
  const { state } = useStore(thread.view);
  const root = useStore(thread.root);
  const aside = useRef<HTMLElement>(null);
  const { rootId } = thread;
  const close = useCallback(() => {
    location.hash = channelHref(channel.channel_slug);
    document.querySelector<HTMLElement>(`#conversation [data-id="${rootId}"]`)?.focus();
  }, [channel.channel_slug, rootId]);
  useEffect(() => {
    const closing = (event: KeyboardEvent) => {
      if (isEscape(event) && aside.current?.contains(document.activeElement)) close();
    };
    addEventListener("keydown", closing);
    return () => removeEventListener("keydown", closing);
  }, [close]);
  // The composer takes the focus, where there is one.
  useLayoutEffect(() => {
    const { current } = aside;
    if (current?.contains(document.activeElement) === false) current.focus();
  }, []);
  useEffect(
    () =>
      parley.live.onEvent(({ event, data }) => {
        if (event === "thread:read" && data.message_id === rootId) thread.unreadFromSeq.set(data.unread_from_seq);
      }),
    [parley, thread, rootId],
  );
  const isKept = useKeptUnread(useStore(thread.unreadFromSeq));
  const markRead = (seq: number) => parley.reading.markThreadRead(rootId, seq);
  const name = channel.is_direct ? labelOf(channel) : `#${channel.name}`;
  return (
    <aside className="side thread" aria-label={texts.title} ref={aside} tabIndex={-1}>
      <header>
        <div className="title">
          <h2>{texts.title}</h2>
          <a href={hrefOf({ slug: channel.channel_slug, messageId: rootId })}>
            <bdi>{name}</bdi>
          </a>
        </div>
        {root !== null && state !== "gone" && <ThreadButtons root={root} channel={channel} />}
        <button type="button" className="icon-button" aria-label={texts.close} title={texts.close} onClick={close}>
          <CloseIcon />
        </button>
      </header>
      {state === "gone" ? (
        <p className="hint">{texts.gone}</p>
      ) : (
        <>
          <MessageList
            channelSession={thread}
            unread={root?.thread?.unread_count ?? 0}
            onRead={isKept ? null : markRead}
            start={null}
          />
          <Announcer channelSession={thread} />
          <TypingLine typingUsers={typingUsers} rootId={rootId} />
          <AbsentMentions channel={channel} conversation={thread} />
          <ConnectionBanner />
          <ThreadComposer channel={channel} thread={thread} />
        </>
      )}
    </aside>
  );
}

/** The composer, or the reason why the user cannot reply. */
function ThreadComposer({ channel, thread }: Props) {
  const { threads: texts } = useTexts();
  const root = useStore(thread.root);
  const manages = useManages(channel);
  if (root?.is_deleted === true) return <p className="composer closed">{texts.rootDeleted}</p>;
  if (root?.thread?.is_locked === true && !manages) return <p className="composer closed">{texts.lockedHint}</p>;
  return <Composer channelSession={thread} channel={channel} />;
}
