import type { ChatMessage } from "@parley/protocol/models";
import { momentOf } from "../i18n/date-format.ts";
import { useTexts } from "../i18n/use-texts.ts";
import { MessageExcerpt } from "../markdown/message-text.tsx";
import type { Hit } from "../markdown/text.ts";
import { fileLine } from "../model/files/file-line.ts";
import { senderOf } from "../model/sender.ts";
import { Avatar, Name } from "../people/avatar.tsx";
import { messageHref } from "../state/route.ts";

/** A message in a list beside the conversation, linked to its place in the channel. */
export function MessageEntry({
  message,
  where,
  hits,
}: {
  message: ChatMessage;
  /** The name of its channel where that is not obvious, or why it is listed. */
  where?: string;
  /** The parts of the text that a search has found. */
  hits?: readonly Hit[];
}) {
  const texts = useTexts();
  const name = senderOf(message);
  const isAgent = message.sender_type === "agent";
  const isWebhook = message.sender_type === "webhook";
  return (
    <li>
      <a className="message-entry" href={messageHref(message)}>
        <span className="head">
          <Avatar name={name} isAgent={isAgent || isWebhook} isSmall />
          <Name name={name} isAgent={isAgent} isWebhook={isWebhook} />
        </span>
        <div className="excerpt">
          {message.sticker !== null && message.content === ""
            ? texts.messages.sticker(message.sticker.sticker_name)
            : message.content !== "" && <MessageExcerpt message={message} hits={hits} />}
          {message.files.length > 0 && <bdi className="muted">{fileLine(message.files, texts)}</bdi>}
        </div>
        <span className="muted">
          {where !== undefined && <bdi>{where} · </bdi>}
          {message.thread_root_id !== null && `${texts.threads.inThread} · `}
          {momentOf(message.created_at)}
        </span>
      </a>
    </li>
  );
}
