import { REMINDER_NOTE_MAX } from "@parley/protocol/limits";
import { Reminders } from "@parley/sdk/groups";
import { useState } from "react";
import { momentOf } from "../i18n/date-format.ts";
import { useReminderTexts } from "../i18n/hooks/use-reminder-texts.ts";
import { LaterButtons } from "../scheduled/later-buttons.tsx";
import type { RemindedMessage } from "../session/open-dialog.ts";
import { useParley } from "../session/parley-context.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Field } from "../ui/field.tsx";
import { ErrorLine } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";

interface Props extends RemindedMessage {
  onClose(): void;
}

/** Asks when to remind the user of a message. */
export function RemindDialog({ messageId, note: earlier, onClose }: Props) {
  const parley = useParley();
  const texts = useReminderTexts();
  const action = useAction();
  const [note, setNote] = useState(earlier ?? "");
  const remind = async (time: number) => {
    const remind_at = new Date(time).toISOString();
    const body = { message_id: messageId, remind_at, note };
    if (!(await action.run(() => parley.client.group(Reminders).create(body)))) return;
    parley.notices.say(texts.saved(momentOf(remind_at)));
    onClose();
  };
  return (
    <Dialog title={texts.remind} onClose={onClose}>
      <div className="stack">
        <Field
          label={texts.note}
          hint={texts.noteHint}
          dir="auto"
          value={note}
          maxLength={REMINDER_NOTE_MAX}
          onChange={(event) => setNote(event.target.value)}
        />
        <fieldset className="menu later-choice">
          <legend className="muted">{texts.when}</legend>
          <LaterButtons
            hours={1}
            submit={texts.remindThen}
            isBusy={action.isBusy}
            onChoose={(time) => void remind(time)}
          />
          <ErrorLine text={action.error} />
        </fieldset>
        <button type="button" className="secondary" onClick={() => parley.openDialog.set({ window: "reminders" })}>
          {texts.title}
        </button>
      </div>
    </Dialog>
  );
}
