import type { ChatMessage } from "@parley/protocol/records";
import { CloseIcon } from "../app/icons.tsx";
import { useTexts } from "../app/parley-context.ts";
import { senderOf } from "../messages/rows.ts";

/** The message that the next message replies to. */
export function ReplyLine({ message, onClose }: { message: ChatMessage; onClose(): void }) {
  const { composer: texts, messages } = useTexts();
  return (
    <div className="reply-line">
      <p>
        <bdi>{messages.replyTo(senderOf(message))}</bdi> <bdi className="soft">{message.content.slice(0, 160)}</bdi>
      </p>
      <button type="button" className="icon-button" aria-label={texts.cancelReply} onClick={onClose}>
        <CloseIcon />
      </button>
    </div>
  );
}
