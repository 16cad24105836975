import type { AppContext } from "../../context.ts";
import * as store from "./outbox.store.ts";

/** The states of a mail. */
export const MAIL_STATES = ["waiting", "handing_over", "sent", "unsure", "refused", "expired", "dropped"] as const;

export type MailRow = store.NamedMailRow;

const SHOWN_MAX = 200;

/** Lists mails in a state, the newest first, with the names of their users. */
export const mailsIn = (ctx: AppContext, state: (typeof MAIL_STATES)[number]): Promise<MailRow[]> =>
  store.mailsIn(ctx.db, state, SHOWN_MAX);
