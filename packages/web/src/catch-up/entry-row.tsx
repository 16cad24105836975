import { momentOf } from "../i18n/date-format.ts";
import { useCatchUpTexts } from "../i18n/hooks/use-catch-up-texts.ts";
import { useTexts } from "../i18n/use-texts.ts";
import { labelOf } from "../model/channel-groups.ts";
import { useChannel } from "../notifications/entry.tsx";
import { Avatar } from "../people/avatar.tsx";
import { useParley } from "../session/parley-context.ts";
import { channelHref, hrefOf, threadHref } from "../state/route.ts";
import { BellIcon, CheckIcon, ThreadIcon } from "../ui/icons.tsx";
import type { Entry } from "./entries.ts";
import { placeName, useEntryName } from "./entry-name.ts";
import { Preview } from "./preview.tsx";

interface Props {
  entry: Entry;
  isActive: boolean;
  onActive(): void;
  onDone(): void;
}

/** One entry: a link to where it is, with its beginning while it is active, and a button that finishes it. */
export function EntryRow({ entry, isActive, onActive, onDone }: Props) {
  const texts = useCatchUpTexts();
  const name = useEntryName()(entry);
  const href = useHref(entry);
  return (
    <li className="catch-up-entry" data-active={isActive ? "" : undefined} data-kind={entry.kind}>
      <a className="message-entry" href={href} tabIndex={isActive ? 0 : -1} onFocus={onActive}>
        <span className="head">
          <Mark entry={entry} />
          <bdi className="name">{entry.kind === "channel" ? labelOf(entry.channel) : name}</bdi>
          <Counts entry={entry} />
        </span>
        <Detail entry={entry} />
        {isActive && <Preview entry={entry} />}
      </a>
      <button
        type="button"
        className="icon-button"
        aria-label={texts.doneWith(name)}
        title={texts.done}
        tabIndex={isActive ? 0 : -1}
        onClick={onDone}
      >
        <CheckIcon />
      </button>
    </li>
  );
}

function Mark({ entry }: { entry: Entry }) {
  switch (entry.kind) {
    case "channel":
      return entry.channel.is_direct ? (
        <Avatar name={placeName(entry.channel)} isAgent={entry.channel.direct_with_agent !== null} isSmall />
      ) : (
        <span className="hash" aria-hidden="true">
          #
        </span>
      );
    case "thread":
      return <ThreadIcon />;
    case "session":
      return <Avatar name={entry.session.agent_name} isAgent isSmall />;
    default: {
      const { from } = entry.notification;
      return from === null ? <BellIcon /> : <Avatar name={from.name} isAgent={from.kind !== "user"} isSmall />;
    }
  }
}

function Counts({ entry }: { entry: Entry }) {
  const texts = useCatchUpTexts();
  if (entry.kind === "card") return <span className="count mentioned">{texts.kinds.card}</span>;
  if (entry.kind === "mention") return <span className="count mentioned">{texts.kinds.mention}</span>;
  if (entry.kind === "session") return null;
  const count = entry.kind === "channel" ? entry.attention.count : entry.thread.unread_count;
  const isCalling = entry.kind === "thread" || entry.attention.hasMention;
  return <span className={isCalling ? "count mentioned" : "count"}>{texts.unread(count ?? 0)}</span>;
}

/** Where an entry is, and when it was. */
function Detail({ entry }: { entry: Entry }) {
  const parley = useParley();
  const texts = useCatchUpTexts();
  const { threads } = useTexts();
  const parts: string[] = [];
  if (entry.kind === "thread") {
    const { root, last_reply } = entry.thread;
    const channel = parley.channels.find(root.channel_id);
    if (channel !== undefined) parts.push(texts.inChannel(placeName(channel)));
    parts.push(threads.lastReply(momentOf((last_reply ?? root).created_at)));
  } else if (entry.kind === "session") {
    const channel = parley.channels.find(entry.session.channel_id);
    if (channel !== undefined) parts.push(texts.inChannel(placeName(channel)));
    parts.push(momentOf(entry.session.since));
  } else if (entry.kind === "card" || entry.kind === "mention") parts.push(momentOf(entry.notification.created_at));
  if (parts.length === 0) return null;
  return <bdi className="muted">{parts.join(" · ")}</bdi>;
}

/** Returns where an entry leads; undefined until it is known. */
function useHref(entry: Entry): string | undefined {
  const channelId =
    entry.kind === "session"
      ? entry.session.channel_id
      : entry.kind === "card" || entry.kind === "mention"
        ? entry.notification.channel_id
        : null;
  const channel = useChannel(channelId);
  if (entry.kind === "channel") return channelHref(entry.channel.channel_slug);
  if (entry.kind === "thread") return threadHref(entry.thread.root);
  if (channel == null) return undefined;
  return entry.kind === "session"
    ? threadHref({ id: entry.session.thread_root_id, channel_slug: channel.slug })
    : hrefOf({ slug: channel.slug, messageId: entry.notification.message_id });
}
