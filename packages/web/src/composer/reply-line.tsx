import type { ChatMessage } from "@parley/protocol/models";
import { useTexts } from "../i18n/use-texts.ts";
import { MessageLine } from "../markdown/message-text.tsx";
import { fileLine } from "../model/files/file-line.ts";
import { senderInText } from "../model/sender.ts";
import { CloseIcon } from "../ui/icons.tsx";

/** The message that the next message replies to. */
export function ReplyLine({ message, onClose }: { message: ChatMessage; onClose(): void }) {
  const all = useTexts();
  const { composer: texts, messages } = all;
  return (
    <div className="reply-line">
      <p>
        <bdi>{messages.replyTo(senderInText(message))}</bdi>{" "}
        <bdi className="muted">
          {message.content === "" ? fileLine(message.files, all) : <MessageLine message={message} />}
        </bdi>
      </p>
      <button type="button" className="icon-button" aria-label={texts.cancelReply} onClick={onClose}>
        <CloseIcon />
      </button>
    </div>
  );
}
