import { useSyncExternalStore } from "react";
import { readDraft } from "../../composer/drafts.ts";
import { useWritingTexts } from "../../i18n/hooks/use-writing-texts.ts";
import { useSelf } from "../../session/parley-context.ts";
import { EditIcon } from "../../ui/icons.tsx";

/** Another window of the same browser writes drafts, too. In this one, only the open channel's changes. */
function onStored(changed: () => void): () => void {
  addEventListener("storage", changed);
  return () => removeEventListener("storage", changed);
}

/** A mark for a channel in which the user has begun to write. */
export function DraftMark({ channelId }: { channelId: number }) {
  const self = useSelf();
  const { draft } = useWritingTexts();
  const isBegun = () => readDraft(self, { channelId, rootId: null }).trim() !== "";
  if (!useSyncExternalStore(onStored, isBegun)) return null;
  return (
    <span className="muted-mark" title={draft}>
      <EditIcon />
      <span className="visually-hidden">, {draft}</span>
    </span>
  );
}
