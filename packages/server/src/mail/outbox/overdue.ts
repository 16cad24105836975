import { isoTime } from "../../base/iso-time.ts";
import { EXAMPLES, type OverdueStep } from "../../overdue.ts";
import { endMailsUntil, mailsDueUntil } from "./outbox.store.ts";

/** Ends the mails that were due, as those of another epoch end (protocol §17), and lists the first without their addresses. */
export const endMails: OverdueStep = async (db, { until, now }) => {
  const first = await mailsDueUntil(db, until, EXAMPLES);
  const examples = first.map(({ id, kind, user, due_at }) => {
    const about = user === null ? "" : ` of ${user}`;
    return `${isoTime(due_at)}  mail ${id} (${kind})${about}`;
  });
  return { what: "mail", count: await endMailsUntil(db, until, now), examples };
};
