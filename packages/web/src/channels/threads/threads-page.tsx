import type { ChatMessage } from "@parley/protocol/models";
import { type ReactNode, useEffect, useState } from "react";
import { momentOf } from "../../i18n/date-format.ts";
import { useTexts } from "../../i18n/use-texts.ts";
import { MessageExcerpt, MessageLine } from "../../markdown/message-text.tsx";
import { labelOf } from "../../model/channel-groups.ts";
import { fileLine } from "../../model/files/file-line.ts";
import { senderInText, senderOf } from "../../model/sender.ts";
import { type FollowedThread, isUnread } from "../../model/threads/followed-threads.ts";
import { Avatar, Name } from "../../people/avatar.tsx";
import { useParley, useSelf } from "../../session/parley-context.ts";
import { threadHref } from "../../state/route.ts";
import { useStore } from "../../state/store.ts";
import { ConnectionBanner } from "../connection-banner.tsx";
import { MenuButton } from "../menu-button.tsx";

/** The threads that the user follows, those with unread replies first. */
export function ThreadsPage({ onMenu }: { onMenu(): void }) {
  const parley = useParley();
  const { threads: texts, app } = useTexts();
  const self = useSelf();
  const session = useStore(parley.session);
  const { state, threads, hasMore } = useStore(parley.threads.view);
  useEffect(() => (self === null ? undefined : parley.threads.watch()), [parley, self]);
  const body = () => {
    if (session.state === "guest") return <p className="empty">{texts.guest}</p>;
    if (state === "loading") return <p className="empty">{app.loading}</p>;
    if (state === "failed")
      return (
        <p className="empty">
          {texts.failed}{" "}
          <button type="button" className="link" onClick={() => parley.threads.retry()}>
            {app.retry}
          </button>
        </p>
      );
    if (threads.length === 0) return <p className="empty">{texts.none}</p>;
    return (
      <ul className="message-entries">
        {threads.map((thread) => (
          <ThreadEntry key={thread.root.id} thread={thread} />
        ))}
      </ul>
    );
  };
  return (
    <main className="page">
      <section className="conversation" id="conversation" aria-label={texts.list}>
        <header className="bar">
          <MenuButton onMenu={onMenu} />
          <div className="title">
            <h2>{texts.list}</h2>
          </div>
        </header>
        <div className="scroller threads-list" aria-busy={state === "loading"}>
          {body()}
          {hasMore && <MoreThreads />}
        </div>
        <ConnectionBanner />
      </section>
    </main>
  );
}

function ThreadEntry({ thread }: { thread: FollowedThread }) {
  const parley = useParley();
  const { threads: texts, messages } = useTexts();
  const { root, last_reply, unread_count } = thread;
  const channel = parley.channels.find(root.channel_id);
  const place =
    channel?.is_direct === true ? messages.directWith(labelOf(channel)) : `#${channel?.name ?? root.channel_slug}`;
  const isAgent = root.sender_type === "agent";
  const isWebhook = root.sender_type === "webhook";
  return (
    <li>
      <a className="message-entry" href={threadHref(root)} data-unread={isUnread(thread) ? "" : undefined}>
        <span className="head">
          <Avatar name={senderOf(root)} isAgent={isAgent || isWebhook} isSmall />
          <Name name={senderOf(root)} isAgent={isAgent} isWebhook={isWebhook} />
          <bdi className="muted">{place}</bdi>
          {isUnread(thread) && <span className="count mentioned">{texts.unread(unread_count ?? 0)}</span>}
        </span>
        <div className="excerpt">
          <Said message={root}>
            <MessageExcerpt message={root} />
          </Said>
        </div>
        {last_reply !== null && (
          <span className="last-reply">
            <bdi className="name">{senderInText(last_reply)}</bdi>{" "}
            <bdi>
              <Said message={last_reply}>
                <MessageLine message={last_reply} />
              </Said>
            </bdi>
          </span>
        )}
        <span className="muted">
          {texts.replies(root.thread?.reply_count ?? 0)} · {momentOf((last_reply ?? root).created_at)}
        </span>
      </a>
    </li>
  );
}

/** The text of a message, or what it has instead. */
function Said({ message, children }: { message: ChatMessage; children: ReactNode }) {
  const texts = useTexts();
  const { is_deleted, content, sticker, packet_id, files } = message;
  if (is_deleted) return texts.messages.deleted;
  if (content !== "") return children;
  if (sticker !== null) return texts.messages.sticker(sticker.sticker_name);
  return packet_id === null ? fileLine(files, texts) : texts.messages.packet;
}

/** A button that loads the next page, until the last one is loaded. */
function MoreThreads() {
  const parley = useParley();
  const { threads: texts } = useTexts();
  const [isBusy, setBusy] = useState(false);
  const read = async () => {
    setBusy(true);
    await parley.threads.more().catch((error: unknown) => parley.showError(error));
    setBusy(false);
  };
  return (
    <button type="button" className="secondary" disabled={isBusy} onClick={() => void read()}>
      {texts.showMore}
    </button>
  );
}
