import { useState } from "react";
import { createPortal } from "react-dom";
import { useFileTexts } from "../../i18n/hooks/use-file-texts.ts";
import type { FileTexts } from "../../i18n/texts.ts";
import { type Progress, progressOf } from "../../model/files/attachment.ts";
import type { Attachments } from "../../model/files/attachments.ts";
import { useStore } from "../../state/store.ts";
import { DialogBoundary } from "../../ui/dialog-boundary.tsx";
import { AltTextDialog } from "./alt-text-dialog.tsx";
import { AttachmentItem } from "./attachment-item.tsx";

/** Progress is announced in steps of this many percent. */
const STEP = 25;

/** The files of the draft, above its text. */
export function AttachmentTray({ attachments }: { attachments: Attachments }) {
  const texts = useFileTexts();
  const all = useStore(attachments.all);
  const progress = progressOf(all);
  /** The key of the picture that is being described. */
  const [described, setDescribed] = useState<string | null>(null);
  const picture = all.find(({ key }) => key === described);
  const close = () => setDescribed(null);
  return (
    <section className="attachments" aria-label={texts.attached}>
      <ul>
        {all.map((each) => (
          <AttachmentItem
            key={each.key}
            attachment={each}
            attachments={attachments}
            onDescribe={() => setDescribed(each.key)}
          />
        ))}
      </ul>
      <p className="hint" aria-hidden="true">
        {progress.holds !== null && statusText(progress, texts)}
      </p>
      <p className="visually-hidden" role="status">
        {statusText({ ...progress, percent: progress.percent - (progress.percent % STEP) }, texts)}
      </p>
      {picture !== undefined &&
        createPortal(
          <DialogBoundary onClose={close}>
            <AltTextDialog
              attachment={picture}
              onSave={(altText) => attachments.describe(picture.key, altText)}
              onClose={close}
            />
          </DialogBoundary>,
          // The composer is a form, and forms do not nest.
          document.body,
        )}
    </section>
  );
}

function statusText({ holds, count, done, percent }: Progress, texts: FileTexts): string {
  if (holds === "uploading") return texts.uploading(count - done, percent);
  if (holds === null) return texts.allReady(count);
  return texts[holds];
}
