import type { ChatMessage } from "@parley/protocol/models";
import { useTexts } from "../i18n/use-texts.ts";
import { MessageLine } from "../markdown/message-text.tsx";
import { senderOf } from "../model/sender.ts";
import { CloseIcon } from "../ui/icons.tsx";

/** The message that the next message replies to. */
export function ReplyLine({ message, onClose }: { message: ChatMessage; onClose(): void }) {
  const { composer: texts, messages } = useTexts();
  return (
    <div className="reply-line">
      <p>
        <bdi>{messages.replyTo(senderOf(message))}</bdi>{" "}
        <bdi className="muted">
          <MessageLine message={message} />
        </bdi>
      </p>
      <button type="button" className="icon-button" aria-label={texts.cancelReply} onClick={onClose}>
        <CloseIcon />
      </button>
    </div>
  );
}
