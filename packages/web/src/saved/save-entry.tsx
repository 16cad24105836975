import { useSavedTexts } from "../i18n/hooks/use-saved-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { useStore } from "../state/store.ts";
import { savedIds, toggleSaved } from "./saved-ids.ts";

/** The entry of a message's menu that saves it, or removes it from the saved ones. */
export function SaveEntry({ messageId, close }: { messageId: number; close(): void }) {
  const parley = useParley();
  const texts = useSavedTexts();
  const isSaved = useStore(savedIds(parley).all).has(messageId);
  const toggle = () => {
    close();
    toggleSaved(parley, messageId).catch((error: unknown) => parley.showError(error));
  };
  return (
    <button type="button" onClick={toggle}>
      {isSaved ? texts.unsave : texts.save}
    </button>
  );
}
