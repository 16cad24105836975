import { useContext } from "react";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { localeOf } from "../i18n/locale.ts";
import { LanguageContext } from "../i18n/use-texts.ts";
import { PreviewChoice, type PreviewProps } from "../previews/preview-choice.tsx";
import { LaterChoice, type LaterProps } from "../scheduled/later-choice.tsx";
import type { Field } from "./use-draft-field.ts";

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Seconds. */
const CHOICES = [5 * MINUTE, HOUR, DAY, 7 * DAY, 30 * DAY] as const;
const UNITS = [
  ["day", DAY],
  ["hour", HOUR],
  ["minute", MINUTE],
] as const;

interface Props {
  /** In seconds; null: the message stays. */
  value: number | null;
  onChoose(seconds: number | null): void;
}

/** When the next message is sent, and for how long it is there. */
export function TimeChoice({ onLater, close, ...expiry }: Props & LaterProps) {
  return (
    <div className="time-choice">
      <LaterChoice onLater={onLater} close={close} />
      <ExpiryChoice {...expiry} />
    </div>
  );
}

/** For how long the next message is there. */
function ExpiryChoice({ value, onChoose }: Props) {
  const { expiry: texts } = useWindowTexts();
  const duration = useDuration();
  return (
    <fieldset className="menu expiry-choice">
      <legend className="muted">{texts.title}</legend>
      {[null, ...CHOICES].map((each) => (
        <button key={each} type="button" aria-pressed={each === value} onClick={() => onChoose(each)}>
          {each === null ? texts.never : duration(each)}
        </button>
      ))}
      <p className="hint">{texts.hint}</p>
    </fieldset>
  );
}

export interface LinesProps extends PreviewProps {
  field: Field;
  /** Until the message disappears; null: it stays. */
  seconds: number | null;
}

/** Says what is special about the next message. */
export function Lines({ seconds, ...previews }: LinesProps) {
  return (
    <>
      {seconds !== null && <ExpiryLine seconds={seconds} />}
      {previews.field.text.includes("://") && <PreviewChoice {...previews} />}
    </>
  );
}

/** Says that the next message disappears. */
function ExpiryLine({ seconds }: { seconds: number }) {
  const { expiry: texts } = useWindowTexts();
  return (
    <p className="expiry-line" role="status">
      {texts.line(useDuration()(seconds))}
    </p>
  );
}

/** Returns a function that says how long so many seconds are, in the user's language. */
function useDuration(): (seconds: number) => string {
  const locale = localeOf(useContext(LanguageContext));
  return (seconds) => {
    const [unit, size] = UNITS.find(([, size]) => seconds >= size) ?? UNITS[2];
    return new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "long" }).format(seconds / size);
  };
}
