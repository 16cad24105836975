import { noticeSink } from "../accounts/notices.ts";
import { onUnnamed } from "../messages/mentions/edited-mentions.ts";
import { onRemoval } from "../messages/removal.ts";
import type { Module } from "../module.ts";
import { deleteOfMessages } from "./list/list.store.ts";
import { withdrawUnnamed } from "./making/unnamed.ts";
import { addNotice, readNotices } from "./notices/notices.ts";
import { notificationRoutes } from "./notifications.routes.ts";
import { eraseNotifications, exportNotifications, exportSubscriptions } from "./personal-data.ts";
import { endPushes } from "./push/overdue.ts";
import { startNotifications } from "./start.ts";

export const notifications: Module = {
  name: "notifications",
  routes: notificationRoutes,
  tags: { Notifications: "What concerns the caller, and push messages to the caller's browsers." },
  erase: { notifications: eraseNotifications },
  exports: { notifications: exportNotifications, push_subscriptions: exportSubscriptions },
  guide: [
    {
      name: "notifications",
      part: "more",
      about: "what users are notified of",
      text: () => import("../../../../docs/guide/notifications.md", { with: { type: "text" } }),
    },
  ],
  overdue: [endPushes],
  register(ctx) {
    noticeSink(ctx, { add: addNotice, read: readNotices });
    onUnnamed(ctx, withdrawUnnamed);
    onRemoval(ctx, (ctx, ids) => deleteOfMessages(ctx.db, ids));
  },
  start: startNotifications,
};
