import { isoTime } from "../base/iso-time.ts";
import { EXAMPLES, type OverdueStep } from "../overdue.ts";
import { endUntil } from "./reminders.store.ts";

/** Ends the reminders that were due as `done`, without a notification (protocol §13.16). */
export const endRemindersUntil: OverdueStep = async (db, { until, now }) => {
  const ended = await endUntil(db, until, now);
  const examples = ended
    .slice(0, EXAMPLES)
    .map(({ id, user_id, remind_at }) => `${isoTime(remind_at)}  reminder ${id} of user ${user_id}`);
  return { what: "reminder", count: ended.length, examples };
};
