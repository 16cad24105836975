import type { Notification } from "@parley/protocol/notifications";
import { Reminders } from "@parley/sdk/groups";
import { momentOf } from "../i18n/date-format.ts";
import { usePanelTexts } from "../i18n/hooks/use-panel-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { ErrorLine } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";

const SNOOZE_MINUTES = 20;

interface Props {
  messageId: number;
  reminder: NonNullable<Notification["reminder"]>;
  /** Called when the user is to be reminded again. */
  onDone(): void;
  /** Opens the choice of another time. */
  onChoose(): void;
}

/** Reminds the user again of what a notification has reminded them of. */
export function ReminderActs({ messageId, reminder, onDone, onChoose }: Props) {
  const parley = useParley();
  const texts = usePanelTexts();
  const action = useAction();
  const snooze = async () => {
    const remind_at = new Date(Date.now() + SNOOZE_MINUTES * 60_000).toISOString();
    const body = { message_id: messageId, remind_at, note: reminder.note };
    if (!(await action.run(() => parley.client.group(Reminders).create(body)))) return;
    parley.notices.say(texts.snoozed(momentOf(remind_at)));
    onDone();
  };
  return (
    <div className="undo below">
      <button type="button" className="secondary" disabled={action.isBusy} onClick={() => void snooze()}>
        {texts.snooze(SNOOZE_MINUTES)}
      </button>
      <button type="button" className="secondary" onClick={onChoose}>
        {texts.remindLater}
      </button>
      <ErrorLine text={action.error} />
    </div>
  );
}
