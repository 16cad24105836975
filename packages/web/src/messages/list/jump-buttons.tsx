import { useTexts } from "../../i18n/use-texts.ts";
import type { Conversation } from "../../model/conversation.ts";
import { useStore } from "../../state/store.ts";
import { BackIcon, DownIcon } from "../../ui/icons.tsx";

interface Props {
  channelSession: Conversation;
  /** How many new messages begin above the visible part of the list. */
  newAbove: number;
  /** True if there is something below the visible part of the list. */
  isAway: boolean;
  /** True if part of what is below is unread. */
  hasUnseen: boolean;
  onEnd(): void;
}

/**
 * The buttons over the conversation: up to the first new message, back to the reply the user jumped from,
 * and down to the newest message.
 */
export function JumpButtons({ channelSession, newAbove, isAway, hasUnseen, onEnd }: Props) {
  const { messages: texts } = useTexts();
  const hasReturn = useStore(channelSession.returns).length > 0;
  return (
    <>
      {newAbove > 0 && (
        <button
          type="button"
          className="jump new above"
          aria-label={texts.newAboveLabel(newAbove)}
          onClick={() => channelSession.scrollToNew(newAbove)}
        >
          <span>{texts.newAbove(newAbove)}</span>
          <DownIcon />
        </button>
      )}
      <div className="jumps">
        {hasReturn && (
          <button type="button" className="jump" onClick={() => channelSession.back()}>
            <BackIcon />
            <span>{texts.back}</span>
          </button>
        )}
        {isAway && (
          <button
            type="button"
            className={hasUnseen ? "jump new" : "jump"}
            aria-label={hasUnseen ? `${texts.jumpNew}: ${texts.jump}` : texts.jump}
            onClick={onEnd}
          >
            {hasUnseen && <span>{texts.jumpNew}</span>}
            <DownIcon />
          </button>
        )}
      </div>
    </>
  );
}
