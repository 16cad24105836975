import type { Reminder } from "@parley/protocol/reminders";
import type { RealtimeEvent } from "@parley/sdk";
import { Reminders } from "@parley/sdk/groups";
import { useCallback, useState } from "react";
import { momentOf } from "../i18n/date-format.ts";
import { useReminderTexts } from "../i18n/hooks/use-reminder-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { useList } from "../session/use-list.ts";
import { useReload } from "../session/use-reload.ts";
import { hrefOf } from "../state/route.ts";
import { Dialog } from "../ui/dialog.tsx";
import { ListEnd } from "../ui/list-end.tsx";
import { ErrorLine } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";
import { ChangeReminder } from "./change-reminder.tsx";

/** The user's reminders: those that wait, and those that are done or have ended. */
export function RemindersWindow({ onClose }: { onClose(): void }) {
  const parley = useParley();
  const texts = useReminderTexts();
  return (
    <Dialog title={texts.title} onClose={onClose}>
      <RemindersList status="waiting" none={texts.none} onClose={onClose} />
      <RemindersList status="done" onClose={onClose} />
      <RemindersList status="ended" onClose={onClose} />
      <button type="button" className="secondary" onClick={() => parley.openDialog.set({ window: "scheduled" })}>
        {texts.scheduled}
      </button>
    </Dialog>
  );
}

interface ListProps {
  status: "waiting" | "done" | "ended";
  /** What is shown for an empty list; without it an empty list is not shown. */
  none?: string;
  onClose(): void;
}

const isChange = ({ event }: RealtimeEvent): boolean => event === "reminder:update";

function RemindersList({ status, none, onClose }: ListProps) {
  const parley = useParley();
  const texts = useReminderTexts();
  const reminders = parley.client.group(Reminders);
  const load = useCallback(
    async (offset: number | undefined) => {
      const page = await reminders.list({ status, offset });
      return { items: page.reminders, next: page.next_offset };
    },
    [reminders, status],
  );
  const list = useList<Reminder>(load);
  const { reload } = list;
  useReload(reload, isChange);
  if (none === undefined && (list.items === null || list.items.length === 0)) return null;
  return (
    <section className="stack" aria-label={texts.lists[status]}>
      {status !== "waiting" && <h3>{texts.lists[status]}</h3>}
      <ul className="lines scheduled">
        {list.items?.map((reminder) => (
          <Line key={reminder.reminder_id} reminder={reminder} onClose={onClose} />
        ))}
      </ul>
      <ListEnd list={list} none={none ?? ""} />
    </section>
  );
}

function Line({ reminder, onClose }: { reminder: Reminder; onClose(): void }) {
  const parley = useParley();
  const texts = useReminderTexts();
  const action = useAction();
  const [isChanging, setChanging] = useState(false);
  const { reminder_id: id, message_id: messageId, channel_slug: slug, note, remind_at, status } = reminder;
  if (isChanging) return <ChangeReminder reminder={reminder} onDone={() => setChanging(false)} />;
  const words = reminder.text ?? (slug === null ? texts.gone : texts.noText);
  return (
    <li>
      <span>
        {note !== null && (
          <b className="excerpt" dir="auto">
            {note}
          </b>
        )}
        {slug === null ? (
          <span className="muted">{words}</span>
        ) : (
          <a className="excerpt" dir="auto" href={hrefOf({ slug, messageId })} onClick={onClose}>
            {reminder.from === null ? words : texts.said(reminder.from.name, words)}
          </a>
        )}
        <span className="muted">
          <time dateTime={remind_at}>{momentOf(remind_at)}</time> {slug !== null && texts.in(`#${slug}`)}
        </span>
        <ErrorLine text={action.error} />
      </span>
      <span className="acts">
        {status === "waiting" && (
          <button
            type="button"
            className="secondary"
            aria-label={`${texts.change}: ${note ?? words}`}
            onClick={() => setChanging(true)}
          >
            {texts.change}
          </button>
        )}
        {status === "done" && slug !== null && (
          <button
            type="button"
            className="secondary"
            aria-label={`${texts.again}: ${note ?? words}`}
            onClick={() => parley.openDialog.set({ window: "reminders", of: { messageId, note } })}
          >
            {texts.again}
          </button>
        )}
        <button
          type="button"
          className="secondary"
          aria-label={`${texts.remove}: ${note ?? words}`}
          disabled={action.isBusy}
          onClick={() => void action.run(() => parley.client.group(Reminders).remove(id))}
        >
          {texts.remove}
        </button>
      </span>
    </li>
  );
}
