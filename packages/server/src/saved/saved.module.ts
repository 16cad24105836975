import { onRemoval } from "../messages/removal.ts";
import type { Module } from "../module.ts";
import { pagedList, withTimes } from "../user-export.ts";
import { savedRoutes } from "./saved.routes.ts";
import { deleteOfMessages, deleteOfUser, savedOf } from "./saved.store.ts";

export const saved: Module = {
  name: "saved messages",
  routes: savedRoutes,
  erase: {
    async saved(ctx, { userId }) {
      await deleteOfUser(ctx.db, userId);
      return null;
    },
  },
  exports: {
    saved_messages: pagedList(savedOf, ({ id, user_id, created_at, ...row }) => ({
      ...row,
      ...withTimes({ saved_at: created_at }),
    })),
  },
  register(ctx) {
    onRemoval(ctx, (ctx, ids) => deleteOfMessages(ctx.db, ids));
  },
};
