import { REMINDER_NOTE_MAX } from "@parley/protocol/limits";
import type { Reminder } from "@parley/protocol/reminders";
import { Reminders } from "@parley/sdk/groups";
import type { FormEvent } from "react";
import { useReminderTexts } from "../i18n/hooks/use-reminder-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { Field } from "../ui/field.tsx";
import { formValue } from "../ui/form-value.ts";
import { fieldValueOf } from "../ui/later-times.ts";
import { Submit } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";

/** Changes the time and the note of a reminder that waits. */
export function ChangeReminder({ reminder, onDone }: { reminder: Reminder; onDone(): void }) {
  const { client } = useParley();
  const texts = useReminderTexts();
  const action = useAction();
  const { reminder_id: id, note, remind_at } = reminder;
  const before = fieldValueOf(Date.parse(remind_at));
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const time = formValue(form, "time");
    const body = {
      note: formValue(form, "note"),
      // The field has whole minutes: a time that was not changed stays as it is.
      ...(time === before ? {} : { remind_at: new Date(Date.parse(time)).toISOString() }),
    };
    if (await action.run(() => client.group(Reminders).change(id, body))) onDone();
  };
  return (
    <li>
      <form className="stack" onSubmit={submit}>
        <Field label={texts.note} name="note" dir="auto" defaultValue={note ?? ""} maxLength={REMINDER_NOTE_MAX} />
        <Field label={texts.when} type="datetime-local" name="time" defaultValue={before} required />
        <Submit action={action}>{texts.save}</Submit>
        <button type="button" className="secondary" onClick={onDone}>
          {texts.keep}
        </button>
      </form>
    </li>
  );
}
