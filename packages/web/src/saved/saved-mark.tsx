import { useSavedTexts } from "../i18n/hooks/use-saved-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { useStore } from "../state/store.ts";
import { savedIds } from "./saved-ids.ts";

/** Marks a message that the user has saved. */
export function SavedMark({ messageId }: { messageId: number }) {
  const texts = useSavedTexts();
  const isSaved = useStore(savedIds(useParley()).all).has(messageId);
  return isSaved ? <span className="mark saved-mark">{texts.mark}</span> : null;
}
