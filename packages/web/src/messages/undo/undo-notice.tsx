import { useWritingTexts } from "../../i18n/hooks/use-writing-texts.ts";
import type { Undoable } from "./undoable.ts";

/** Says that a message was deleted, with the way back, for which there is more time while the button is pointed at or focused. */
export function UndoNotice({ id, deletions }: { id: number; deletions: Undoable }) {
  const texts = useWritingTexts();
  return (
    <>
      {texts.messageDeleted}{" "}
      <button
        type="button"
        className="link"
        aria-keyshortcuts="Control+Z"
        onPointerEnter={() => deletions.hold(id)}
        onPointerLeave={() => deletions.letGo(id)}
        onFocus={() => deletions.hold(id)}
        onBlur={() => deletions.letGo(id)}
        onClick={() => deletions.undo(id)}
      >
        {texts.undo}
      </button>
    </>
  );
}
