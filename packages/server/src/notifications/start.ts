import type { AppContext } from "../context.ts";
import { removalSteps } from "../messages/removal.ts";
import { deleteOfMessages } from "./list/list.store.ts";
import { visiblePages } from "./push/visible-pages.ts";

/** Starts filling the lists of notifications, and sending push messages, until the server closes. */
export function startNotifications(ctx: AppContext): void {
  visiblePages(ctx).start();
  removalSteps(ctx).add(async (ctx, ids) => void (await deleteOfMessages(ctx.db, ids)));
}
