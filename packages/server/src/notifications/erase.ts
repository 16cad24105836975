import type { ErasingStep } from "../erasure.ts";
import { deleteOfUser } from "./list/list.store.ts";
import { deleteSubscriptionsOf } from "./push/subscriptions.store.ts";

const ROWS = 500;

/** Deletes the user's notifications and push subscriptions, and others' notifications of the user's reactions. */
export const eraseNotifications: ErasingStep = async (ctx, { userId }, from) => {
  await deleteSubscriptionsOf(ctx.db, userId);
  const deleted = await deleteOfUser(ctx.db, userId, ROWS);
  return deleted < ROWS ? null : from;
};
