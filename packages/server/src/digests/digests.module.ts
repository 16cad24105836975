import type { Module } from "../module.ts";
import { onMissed } from "../notifications/missed/missed.ts";
import { wholeList, withTimes } from "../user-export.ts";
import { deleteDigest, findDigest } from "./digests.store.ts";
import { endDueDigests } from "./overdue.ts";
import { ownMailRoutes } from "./own-mail.routes.ts";
import { planDigests } from "./plan.ts";
import { startDigests } from "./send-due.ts";
import { unsubscribeRoutes } from "./unsubscribe/unsubscribe.routes.ts";

export const digests: Module = {
  name: "digests",
  routes: [...ownMailRoutes, ...unsubscribeRoutes],
  tags: { Mail: "The caller's address, and the end of mails about what was missed." },
  erase: {
    async digests(ctx, { userId }) {
      await deleteDigest(ctx.db, userId);
      return null;
    },
  },
  exports: {
    digests: wholeList(async (ctx, { userId }) => {
      const row = await findDigest(ctx.db, userId);
      if (row === undefined) return [];
      const { pending, since, due_at, sent_at } = row;
      return [withTimes({ pending: pending === 1, since, due_at, sent_at })];
    }),
  },
  overdue: [endDueDigests],
  register(ctx) {
    onMissed(ctx, planDigests);
  },
  start: startDigests,
};
