import { useTexts } from "../i18n/use-texts.ts";
import type { LaterProps } from "../scheduled/later-choice.tsx";
import { lazy } from "../session/lazy.tsx";
import { ClockIcon } from "../ui/icons.tsx";
import { Popover } from "../ui/popover.tsx";
import type { LinesProps } from "./expiry-choice.tsx";

interface Props {
  /** In seconds; null: the message stays. */
  value: number | null;
  onChoose(seconds: number | null): void;
}

/** The choices of when the message comes and goes. */
interface Choices extends Props {
  onLater: LaterProps["onLater"];
}

/** Has the panel's width, by which the popover is placed before the code has loaded. */
const Waiting = () => <div className="time-choice" aria-busy="true" />;
const Choice = lazy<Choices & LaterProps>(async () => (await import("./expiry-choice.tsx")).TimeChoice, Waiting);
export const Lines = lazy<LinesProps>(async () => (await import("./expiry-choice.tsx")).Lines);

/** Sends the next message later, or lets it disappear by itself. */
export function ExpiryButton({ value, onChoose, onLater }: Choices) {
  const { composer: texts } = useTexts();
  return (
    <Popover label={texts.expiry} className={`icon-button expiry${value === null ? "" : " on"}`} button={<ClockIcon />}>
      {(close) => (
        <Choice
          {...{ value, onLater, close }}
          onChoose={(seconds) => {
            onChoose(seconds);
            close();
          }}
        />
      )}
    </Popover>
  );
}
