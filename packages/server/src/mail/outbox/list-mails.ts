import type { AppContext } from "../../context.ts";
import type { Db } from "../../db/db.ts";
import * as store from "./outbox.store.ts";

/** What may become of a mail. */
export const MAIL_STATES = ["waiting", "handing_over", "sent", "unsure", "refused", "expired", "dropped"] as const;

export type MailRow = store.NamedMailRow;

const SHOWN_MAX = 200;

/** Lists mails in a state, the newest first, with the names of their users. */
export const mailsIn = (ctx: AppContext, state: (typeof MAIL_STATES)[number]): Promise<MailRow[]> =>
  store.mailsIn(ctx.db, state, SHOWN_MAX);

/**
 * Lists mails that have not ended and were due before a time, the oldest first: what a restore to that time must not send
 * again. A server with another epoch than theirs never sends them (`takeMail`).
 */
export const mailsDueBefore = (db: Db, before: number, limit: number): Promise<MailRow[]> =>
  store.mailsDueBefore(db, before, limit);
