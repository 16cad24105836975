import { isoTime } from "../base/iso-time.ts";
import { EXAMPLES, type OverdueStep } from "../overdue.ts";
import { dueUntil, endDue } from "./scheduled.store.ts";

/** Ends the scheduled messages that were due. Their senders find them in their lists as `missed` (protocol §13.6). */
export const endScheduledUntil: OverdueStep = async (db, { until, now }) => {
  const due = await dueUntil(db, until);
  await endDue(db, until, now);
  const examples = due.slice(0, EXAMPLES).map(({ id, user_id, agent_id, send_at, slug }) => {
    const sender = user_id === null ? `agent ${agent_id}` : `user ${user_id}`;
    return `${isoTime(send_at)}  message ${id} of ${sender} to ${slug ?? "a deleted channel"}`;
  });
  return { what: "scheduled message", count: due.length, examples };
};
