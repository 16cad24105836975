import { type FormEvent, useState } from "react";
import { clockOf } from "../i18n/date-format.ts";
import { useScheduledTexts } from "../i18n/hooks/use-scheduled-texts.ts";
import { formValue } from "../ui/form-value.ts";
import { fieldValueOf, type LaterTime, laterTimes } from "../ui/later-times.ts";

interface Props {
  /** One of the times that are offered is in so many hours. */
  hours: number;
  /** The button beside the field for another time. */
  submit: string;
  isBusy: boolean;
  /** `time`: epoch milliseconds. */
  onChoose(time: number): void;
}

/** Buttons for times that are offered, and a field for another one. */
export function LaterButtons({ hours, submit: label, isBusy, onChoose }: Props) {
  const texts = useScheduledTexts();
  const [now] = useState(() => Date.now());
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const time = Date.parse(formValue(event.currentTarget, "time"));
    if (!Number.isNaN(time)) onChoose(time);
  };
  const labelOf = ({ kind, time, count }: LaterTime) =>
    kind === "minutes" || kind === "hours"
      ? texts[kind === "minutes" ? "inMinutes" : "inHours"](count)
      : texts[kind](clockOf(new Date(time).toISOString()));
  return (
    <>
      {laterTimes(now, hours).map((choice) => (
        <button key={choice.kind} type="button" disabled={isBusy} onClick={() => onChoose(choice.time)}>
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
        <button type="submit" className="secondary" disabled={isBusy}>
          {label}
        </button>
      </form>
    </>
  );
}
