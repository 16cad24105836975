import { type FormEvent, useState } from "react";
import { clockOf, momentOf } from "../i18n/date-format.ts";
import { useScheduledTexts } from "../i18n/hooks/use-scheduled-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { formValue } from "../ui/form-value.ts";
import { ErrorLine } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";
import { fieldValueOf, laterTimes } from "./later-times.ts";

export interface LaterProps {
  /** Schedules what is in the composer for a time; null: it is empty. */
  onLater: ((sendAt: string) => Promise<unknown>) | null;
  close(): void;
}

/** When the message in the composer is sent, if not now. */
export function LaterChoice({ onLater, close }: LaterProps) {
  const parley = useParley();
  const texts = useScheduledTexts();
  const action = useAction();
  const [now] = useState(() => Date.now());
  const later = async (time: number) => {
    const sendAt = new Date(time).toISOString();
    if (!(await action.run(async () => onLater?.(sendAt)))) return;
    parley.notices.say(texts.saved(momentOf(sendAt)));
    close();
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const time = Date.parse(formValue(event.currentTarget, "time"));
    if (!Number.isNaN(time)) void later(time);
  };
  const open = () => {
    close();
    parley.openDialog.set({ window: "scheduled" });
  };
  const labelOf = ({ kind, time, count }: ReturnType<typeof laterTimes>[number]) =>
    kind === "minutes" || kind === "hours"
      ? texts[kind === "minutes" ? "inMinutes" : "inHours"](count)
      : texts[kind](clockOf(new Date(time).toISOString()));
  return (
    <fieldset className="menu later-choice">
      <legend className="muted">{texts.later}</legend>
      {onLater === null ? (
        <p className="hint">{texts.writeFirst}</p>
      ) : (
        <>
          {laterTimes(now).map((choice) => (
            <button key={choice.kind} type="button" disabled={action.isBusy} onClick={() => void later(choice.time)}>
              {labelOf(choice)}
            </button>
          ))}
          <form className="later-form" onSubmit={submit}>
            <input
              type="datetime-local"
              name="time"
              aria-label={texts.at}
              min={fieldValueOf(now + 60_000)}
              defaultValue={fieldValueOf(now + 2 * 3_600_000)}
              required
            />
            <button type="submit" className="secondary" disabled={action.isBusy}>
              {texts.schedule}
            </button>
          </form>
          <ErrorLine text={action.error} />
        </>
      )}
      <button type="button" onClick={open}>
        {texts.title}
      </button>
    </fieldset>
  );
}
