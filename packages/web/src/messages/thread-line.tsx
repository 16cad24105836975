import type { ChatMessage } from "@parley/protocol/models";
import { clockOf, momentOf } from "../i18n/date-format.ts";
import { useTexts } from "../i18n/use-texts.ts";
import { useToday } from "../i18n/use-today.ts";
import { Avatar } from "../people/avatar.tsx";
import { hrefOf, messageHref, threadHref } from "../state/route.ts";
import { ThreadIcon } from "../ui/icons.tsx";

/** Opens the thread that a message began or is a reply in. */
export function openThreadOf({ id, channel_slug: slug, thread_root_id }: ChatMessage): void {
  location.hash = hrefOf({ slug, threadId: thread_root_id ?? id, messageId: null });
}

interface Props {
  message: ChatMessage;
  /** Can be reached by Tab. */
  isStop: boolean;
}

/** Who replied in the thread that a message began, how often, when last, and whether the user has read it. */
export function ThreadLine({ message, isStop }: Props) {
  const { threads: texts } = useTexts();
  const today = useToday();
  const { thread } = message;
  if (thread === null || thread.reply_count === 0) return null;
  const { reply_count, last_reply_at, participants, is_locked } = thread;
  const unread = thread.unread_count ?? 0;
  return (
    <a
      className="thread-line"
      href={threadHref(message)}
      tabIndex={isStop ? 0 : -1}
      data-unread={unread > 0 ? "" : undefined}
    >
      <span className="faces" aria-hidden="true">
        {participants.map(({ kind, name }) => (
          <Avatar key={`${kind} ${name}`} name={name} isAgent={kind === "agent"} isSmall />
        ))}
      </span>
      <span className="replies">{texts.replies(reply_count)}</span>
      {unread > 0 && <span className="count mentioned">{texts.unread(unread)}</span>}
      {last_reply_at !== null && (
        <time className="muted" dateTime={last_reply_at} title={momentOf(last_reply_at)}>
          {texts.lastReply((Date.parse(last_reply_at) >= today ? clockOf : momentOf)(last_reply_at))}
        </time>
      )}
      {is_locked && <span className="mark">{texts.locked}</span>}
    </a>
  );
}

/** The line above a reply that was also sent to the channel; it opens the thread there. */
export function InThread({ message, isStop }: Props) {
  const { threads: texts } = useTexts();
  return (
    <a className="quote in-thread" href={messageHref(message)} tabIndex={isStop ? 0 : -1}>
      <ThreadIcon />
      <span>{texts.repliedInThread}</span>
    </a>
  );
}

/** Separates the message that began a thread from the replies. */
export function RepliesDivider({ root }: { root: ChatMessage }) {
  const { threads: texts } = useTexts();
  const count = root.thread?.reply_count ?? 0;
  return (
    <div className="day replies-divider">
      <span>{count === 0 ? texts.noReplies : texts.replies(count)}</span>
    </div>
  );
}
