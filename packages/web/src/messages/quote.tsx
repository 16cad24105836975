import type { ChatMessage } from "@parley/protocol/models";
import type { MouseEvent } from "react";
import { useTexts } from "../i18n/use-texts.ts";
import { MessageLine } from "../markdown/message-text.tsx";
import type { Conversation } from "../model/conversation.ts";
import { fileLine } from "../model/files/file-line.ts";
import { useQuote } from "../model/quotes.ts";
import { senderInText, senderOf } from "../model/sender.ts";
import { isShownIn } from "../model/threads/thread-rules.ts";
import { Name } from "../people/avatar.tsx";
import { messageHref } from "../state/route.ts";

/** The quoted message above a reply, linked to the original. `isStop`: can be reached by Tab. */
export function Quote({
  message,
  answeredId,
  channelSession,
  isStop,
}: {
  message: ChatMessage;
  answeredId: number;
  channelSession: Conversation;
  isStop: boolean;
}) {
  const { messages: texts } = useTexts();
  const answered = useQuote(channelSession.quotes, answeredId);
  if (answered === null) return <span className="quote gone">{texts.replyUnavailable}</span>;
  const isHere = answered === undefined || isShownIn(channelSession.rootId, answered);
  const jump = (event: MouseEvent) => {
    if (!isHere) return;
    event.preventDefault();
    channelSession.jump(message.id, answeredId);
  };
  return (
    <a
      className="quote"
      href={messageHref(answered ?? { channel_slug: message.channel_slug, id: answeredId })}
      tabIndex={isStop ? 0 : -1}
      onClick={jump}
    >
      {answered === undefined ? texts.replyGone : <Quoted answered={answered} />}
    </a>
  );
}

function Quoted({ answered }: { answered: ChatMessage }) {
  const all = useTexts();
  const { messages: texts } = all;
  const { sticker, content, packet_id, files } = answered;
  const text = () => {
    if (answered.is_deleted) return texts.deleted;
    if (sticker !== null && content === "") return texts.sticker(sticker.sticker_name);
    if (packet_id !== null && content === "") return texts.packet;
    if (content === "" && files.length > 0) return fileLine(files, all);
    return <MessageLine message={answered} />;
  };
  return (
    <>
      {answered.sender_type === "user" ? (
        <Name name={senderOf(answered)} />
      ) : (
        <bdi className="name">{senderInText(answered)}</bdi>
      )}{" "}
      <bdi>{text()}</bdi>
    </>
  );
}
