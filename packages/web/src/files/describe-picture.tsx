import { ALT_TEXT_MAX } from "@parley/protocol/file-limits";
import type { FormEvent } from "react";
import { useFileTexts } from "../i18n/hooks/use-file-texts.ts";
import { useTexts } from "../i18n/use-texts.ts";
import type { Picture } from "../model/files/file-kind.ts";
import { useParley } from "../session/parley-context.ts";
import { Dialog } from "../ui/dialog.tsx";
import { formValue } from "../ui/form-value.ts";

interface Props {
  picture: Picture;
  /** Gets the description as it is stored. */
  onSaved(altText: string | null): void;
  onClose(): void;
}

/** Changes what is read out instead of a picture that was sent. Others see it as an edit of the message. */
export function DescribePicture({ picture, onSaved, onClose }: Props) {
  const parley = useParley();
  const texts = useFileTexts();
  const { app } = useTexts();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const altText = formValue(event.currentTarget, "alt").trim();
    parley.client.files.describe(picture.file_id, altText === "" ? null : altText).then(
      ({ file }) => {
        onSaved(file.alt_text);
        onClose();
      },
      (error: unknown) => parley.showError(error),
    );
  };
  return (
    <Dialog title={texts.altTitle} onClose={onClose}>
      <form className="alt-text" onSubmit={submit}>
        <label className="field">
          {texts.altLabel}
          <textarea name="alt" rows={3} maxLength={ALT_TEXT_MAX} defaultValue={picture.alt_text ?? ""} dir="auto" />
          <span className="hint">{texts.altHint}</span>
        </label>
        <button type="submit">{app.save}</button>
      </form>
    </Dialog>
  );
}
