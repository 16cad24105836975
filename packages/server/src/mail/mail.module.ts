import { mailSink } from "../accounts/mails.ts";
import type { Module } from "../module.ts";
import { pagedList, withTimes } from "../user-export.ts";
import { checkMail } from "./doctor.ts";
import { mailHealthRoutes } from "./health/mail-health.routes.ts";
import { isReachable, isStopped } from "./outbox/allowance.ts";
import { addMail } from "./outbox/enqueue.ts";
import { mailsOf, removeMailsOf } from "./outbox/outbox.store.ts";
import { endMails } from "./outbox/overdue.ts";
import { startMail } from "./start.ts";

export const mail: Module = {
  name: "mail",
  routes: mailHealthRoutes,
  erase: {
    async mails(ctx, { userId }) {
      await removeMailsOf(ctx.db, userId);
      return null;
    },
  },
  exports: {
    mails: pagedList(mailsOf, ({ id, user_id, epoch, claimed_until, message_id, parameters, ...row }) => ({
      mail_id: id,
      ...withTimes(row),
    })),
  },
  overdue: [endMails],
  doctor: [checkMail],
  guide: [
    {
      name: "mail",
      part: "more",
      about: "mails of the server: settings, what is sent, what becomes of it",
      text: () => import("../../../../docs/guide/mail.md", { with: { type: "text" } }),
    },
  ],
  register(ctx) {
    mailSink(ctx, { add: addMail, reachable: isReachable, isStopped });
  },
  start: startMail,
};
