import { useSavedTexts } from "../i18n/hooks/use-saved-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { useStore } from "../state/store.ts";
import { savedIds } from "./saved-ids.ts";

/** The name of the act that saves a message, or removes it from the saved ones. */
export function SaveLabel({ messageId }: { messageId: number }) {
  const texts = useSavedTexts();
  const isSaved = useStore(savedIds(useParley()).all).has(messageId);
  return isSaved ? texts.unsave : texts.save;
}
