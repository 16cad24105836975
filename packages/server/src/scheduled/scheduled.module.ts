import { onOwnerErased } from "../agents/erase.ts";
import { onPurgePass } from "../channels/deleted/purge.ts";
import type { Module } from "../module.ts";
import { pagedList, withTimes } from "../user-export.ts";
import { endScheduledUntil } from "./overdue.ts";
import { scheduledRoutes } from "./scheduled.routes.ts";
import { deleteOfOwner, deleteOfPurged, deleteOfUser, scheduledOf } from "./scheduled.store.ts";
import { startScheduled } from "./send-due.ts";

export const scheduled: Module = {
  name: "scheduled messages",
  routes: scheduledRoutes,
  erase: {
    async scheduled(ctx, { userId }) {
      await deleteOfUser(ctx.db, userId);
      return null;
    },
  },
  exports: {
    scheduled_messages: pagedList(
      scheduledOf,
      ({ id, user_id, agent_id, key_id, without_previews, taken_at, retry_at, request_key, request_hash, ...row }) => ({
        scheduled_id: id,
        ...withTimes(row),
      }),
    ),
  },
  overdue: [endScheduledUntil],
  register(ctx) {
    onPurgePass(ctx, (ctx) => deleteOfPurged(ctx.db));
    onOwnerErased(ctx, (ctx, userId) => deleteOfOwner(ctx.db, userId));
  },
  start: startScheduled,
};
