import { BackIcon, DownIcon } from "../app/icons.tsx";
import { useTexts } from "../app/parley-context.ts";
import { useStore } from "../app/store.ts";
import type { Room } from "./room.ts";

interface Props {
  room: Room;
  /** Is there anything below what is in sight? */
  isAway: boolean;
  /** And has one not read all of it? */
  hasUnseen: boolean;
  onEnd(): void;
}

/** The buttons above the conversation: back to the reply one came from, and down to the newest message. */
export function Jumps({ room, isAway, hasUnseen, onEnd }: Props) {
  const { messages: texts } = useTexts();
  const hasReturn = useStore(room.returns).length > 0;
  return (
    <div className="jumps">
      {hasReturn && (
        <button type="button" className="jump" onClick={() => room.back()}>
          <BackIcon />
          <span>{texts.back}</span>
        </button>
      )}
      {isAway && (
        <button type="button" className={hasUnseen ? "jump new" : "jump"} aria-label={texts.jump} onClick={onEnd}>
          {hasUnseen && <span>{texts.jumpNew}</span>}
          <DownIcon />
        </button>
      )}
    </div>
  );
}
