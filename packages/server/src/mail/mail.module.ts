import { mailSink } from "../accounts/mails.ts";
import type { Module } from "../module.ts";
import { addMail } from "./outbox/enqueue.ts";
import { removeMailsOf } from "./outbox/outbox.store.ts";

export const mail: Module = {
  name: "mail",
  tags: { Mail: "Mails of the server: confirming an address, a new password, invitations." },
  erase: {
    async mails(ctx, { userId }) {
      await removeMailsOf(ctx.db, userId);
      return null;
    },
  },
  register(ctx) {
    mailSink(ctx, { add: addMail, reachable: async () => {} });
  },
};
