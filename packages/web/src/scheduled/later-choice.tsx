import { momentOf } from "../i18n/date-format.ts";
import { useScheduledTexts } from "../i18n/hooks/use-scheduled-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { ErrorLine } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";
import { LaterButtons } from "./later-buttons.tsx";

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
  const later = async (time: number) => {
    const sendAt = new Date(time).toISOString();
    if (!(await action.run(async () => onLater?.(sendAt)))) return;
    parley.notices.say(texts.saved(momentOf(sendAt)));
    close();
  };
  const open = () => {
    close();
    parley.openDialog.set({ window: "scheduled" });
  };
  return (
    <fieldset className="menu later-choice">
      <legend className="muted">{texts.later}</legend>
      {onLater === null ? (
        <p className="hint">{texts.writeFirst}</p>
      ) : (
        <>
          <LaterButtons
            hours={2}
            submit={texts.schedule}
            isBusy={action.isBusy}
            onChoose={(time) => void later(time)}
          />
          <ErrorLine text={action.error} />
        </>
      )}
      <button type="button" onClick={open}>
        {texts.title}
      </button>
    </fieldset>
  );
}
