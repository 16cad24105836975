import { FILES_PER_MESSAGE } from "@parley/protocol/limits";
import { useCallback } from "react";
import { type Progress, progressOf } from "../../model/files/attachment.ts";
import type { Attachments } from "../../model/files/attachments.ts";
import { useParley } from "../../session/parley-context.ts";
import { useStore } from "../../state/store.ts";

interface Attached extends Progress {
  attachments: Attachments;
  /** Adds files, and says if there are too many. */
  add(files: readonly File[]): void;
}

/** The files of a draft, by its name. */
export function useAttachments(draft: string): Attached {
  const parley = useParley();
  const attachments = parley.draftedFiles.of(draft);
  const all = useStore(attachments.all);
  const add = useCallback(
    (files: readonly File[]) => {
      const left = attachments.add(files);
      if (left > 0) parley.notices.say(parley.preferences.texts.files.tooMany(FILES_PER_MESSAGE), "error");
    },
    [attachments, parley],
  );
  return { ...progressOf(all), attachments, add };
}
