import type { Module } from "../module.ts";
import { pagedList, withTimes } from "../user-export.ts";
import { endRemindersUntil } from "./overdue.ts";
import { startReminders } from "./remind-due.ts";
import { reminderRoutes } from "./reminders.routes.ts";
import { deleteOfUser, remindersOf } from "./reminders.store.ts";

export const reminders: Module = {
  name: "reminders",
  routes: reminderRoutes,
  erase: {
    async reminders(ctx, { userId }) {
      await deleteOfUser(ctx.db, userId);
      return null;
    },
  },
  exports: {
    reminders: pagedList(remindersOf, ({ id, user_id, ...row }) => ({ reminder_id: id, ...withTimes(row) })),
  },
  overdue: [endRemindersUntil],
  start: startReminders,
};
