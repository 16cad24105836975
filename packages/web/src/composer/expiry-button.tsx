import { useTexts } from "../i18n/use-texts.ts";
import { lazy } from "../session/lazy.tsx";
import { ClockIcon } from "../ui/icons.tsx";
import { Popover } from "../ui/popover.tsx";

interface Props {
  /** In seconds; null: the message stays. */
  value: number | null;
  onChoose(seconds: number | null): void;
}

/** Has the panel's width, by which the popover is placed before the code has loaded. */
const Waiting = () => <div className="menu expiry-choice" aria-busy="true" />;
const Choice = lazy<Props>(async () => (await import("./expiry-choice.tsx")).ExpiryChoice, Waiting);
export const ExpiryLine = lazy<{ seconds: number }>(async () => (await import("./expiry-choice.tsx")).ExpiryLine);

/** Lets the next message disappear by itself. */
export function ExpiryButton({ value, onChoose }: Props) {
  const { composer: texts } = useTexts();
  return (
    <Popover label={texts.expiry} className={`icon-button expiry${value === null ? "" : " on"}`} button={<ClockIcon />}>
      {(close) => (
        <Choice
          value={value}
          onChoose={(seconds) => {
            onChoose(seconds);
            close();
          }}
        />
      )}
    </Popover>
  );
}
