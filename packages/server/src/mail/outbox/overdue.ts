import { isoTime } from "../../base/iso-time.ts";
import { EXAMPLES, type OverdueStep } from "../../overdue.ts";
import { endWaiting } from "./outbox.store.ts";

/**
 * Ends all mails that wait, also those whose next try is later: a server with the new epoch sends none of them
 * (`takeMail`), so the restore lists them. An address is not named.
 */
export const endMails: OverdueStep = async (db, { now }) => {
  const ended = await endWaiting(db, now);
  const examples = ended
    .slice(0, EXAMPLES)
    .map(({ id, kind, user_id, created_at }) =>
      [`${isoTime(created_at)}  mail ${id}, ${kind}`, ...(user_id === null ? [] : [`to user ${user_id}`])].join(" "),
    );
  return { what: "mail", count: ended.length, examples };
};
