import { useContext, useEffect, useState } from "react";
import { momentOf } from "../i18n/date-format.ts";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { localeOf } from "../i18n/locale.ts";
import { LanguageContext } from "../i18n/use-texts.ts";

const STEPS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;
const AGAIN_MS = 20_000;

/** Says in how long a message disappears. */
export function ExpiryMark({ at }: { at: string }) {
  const { channel: texts } = useWindowTexts();
  const language = useContext(LanguageContext);
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), AGAIN_MS);
    return () => clearInterval(timer);
  }, []);
  // Rounded up, so that an hour is not "in 60 minutes".
  const left = Math.max(Date.parse(at) - now + 30_000, 60_000);
  const [unit, ms] = STEPS.find(([, size]) => left >= size) ?? STEPS[2];
  const format = new Intl.RelativeTimeFormat(localeOf(language), { style: "short" });
  return (
    <span className="mark" title={momentOf(at)}>
      {texts.disappears(format.format(Math.round(left / ms), unit))}
    </span>
  );
}
