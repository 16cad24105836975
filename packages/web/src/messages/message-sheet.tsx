import type { ChatMessage } from "@parley/protocol/models";
import { useState } from "react";
import { EmojiPicker } from "../emoji/emoji-picker.tsx";
import { QUICK_EMOJI } from "../emoji/own-emoji.ts";
import { reactionIn } from "../emoji/server-emoji.ts";
import { useMessageActsTexts } from "../i18n/hooks/use-message-acts-texts.ts";
import { useTexts } from "../i18n/use-texts.ts";
import { MessageExcerpt } from "../markdown/message-text.tsx";
import type { Conversation } from "../model/conversation.ts";
import { senderInText } from "../model/sender.ts";
import { useParley, useSelf } from "../session/parley-context.ts";
import { Dialog } from "../ui/dialog.tsx";
import { SmileIcon } from "../ui/icons.tsx";
import { ACTS } from "./message-acts.ts";
import { MessageMenu } from "./message-menu.tsx";
import { useReact } from "./reactions.tsx";

interface Props {
  message: ChatMessage;
  channelSession: Conversation;
  onClose(): void;
}

/** Everything that can be done with a message, at the bottom of the window; a long press opens it. */
export function MessageSheet({ message, channelSession, onClose }: Props) {
  const parley = useParley();
  const { messages: texts } = useTexts();
  const acts = useMessageActsTexts();
  const self = useSelf();
  const copy = () => {
    onClose();
    navigator.clipboard.writeText(message.content).then(
      () => parley.notices.say(acts.textCopied),
      (error: unknown) => parley.showError(error),
    );
  };
  const reply = () => {
    onClose();
    ACTS.reply.start({ parley, message, self, channelSession });
  };
  return (
    <Dialog title={texts.actions(senderInText(message))} kind="sheet" onClose={onClose}>
      {message.content !== "" && (
        <div className="excerpt muted">
          <MessageExcerpt message={message} />
        </div>
      )}
      {self !== null && <QuickReactions message={message} onClose={onClose} />}
      <MessageMenu message={message} channelSession={channelSession} close={onClose}>
        {self !== null && (
          <button type="button" onClick={reply}>
            {texts.reply}
          </button>
        )}
        {message.content !== "" && (
          <button type="button" onClick={copy}>
            {acts.copyText}
          </button>
        )}
      </MessageMenu>
    </Dialog>
  );
}

function QuickReactions({ message, onClose }: { message: ChatMessage; onClose(): void }) {
  const { messages: texts } = useTexts();
  const react = useReact();
  const [isAll, setAll] = useState(false);
  const pick = (emoji: string) => {
    onClose();
    react(message, reactionIn(emoji));
  };
  if (isAll) return <EmojiPicker label={texts.reactWith} onPick={pick} />;
  return (
    <div className="quick-reactions">
      {QUICK_EMOJI.map((emoji) => (
        <button key={emoji} type="button" aria-label={texts.reactWith(emoji)} onClick={() => pick(emoji)}>
          {emoji}
        </button>
      ))}
      <button type="button" aria-label={texts.react} onClick={() => setAll(true)}>
        <SmileIcon />
      </button>
    </div>
  );
}
