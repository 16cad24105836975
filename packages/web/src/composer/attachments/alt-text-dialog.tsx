import { ALT_TEXT_MAX } from "@parley/protocol/file-limits";
import type { FormEvent } from "react";
import { useFileTexts } from "../../i18n/hooks/use-file-texts.ts";
import { useTexts } from "../../i18n/use-texts.ts";
import type { Attachment } from "../../model/files/attachment.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { formValue } from "../../ui/form-value.ts";
import { Thumbnail } from "./thumbnail.tsx";

interface Props {
  attachment: Attachment;
  onSave(altText: string): void;
  onClose(): void;
}

/** Writes the text that is read out instead of a picture. */
export function AltTextDialog({ attachment, onSave, onClose }: Props) {
  const texts = useFileTexts();
  const { app } = useTexts();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    // The composer's form is around it.
    event.stopPropagation();
    onSave(formValue(event.currentTarget, "alt").trim());
    onClose();
  };
  return (
    <Dialog title={texts.altTitle} onClose={onClose}>
      <form className="alt-text" onSubmit={submit}>
        <span className="thumbnail large">
          <Thumbnail attachment={attachment} />
        </span>
        <p className="muted">
          <bdi>{attachment.name}</bdi>
        </p>
        <label className="field">
          {texts.altLabel}
          <textarea name="alt" rows={3} maxLength={ALT_TEXT_MAX} defaultValue={attachment.altText} dir="auto" />
          <span className="hint">{texts.altHint}</span>
        </label>
        <button type="submit">{app.save}</button>
      </form>
    </Dialog>
  );
}
