import { lookUpNames } from "../../accounts/names/name-directory.ts";
import { nameKey } from "../../accounts/names/names.ts";
import type { AppContext } from "../../context.ts";
import { publishGone } from "../list/notifications.service.ts";
import { deleteUnlessFollowed, mentionsAbout } from "./making.store.ts";

/**
 * Deletes the notifications of those whom an edit has taken out of a message that still calls everybody with `@here`, in
 * the transaction of the edit. All other names that an edit removes are withdrawn by the consumer of notifications.
 */
export async function withdrawUnnamed(ctx: AppContext, messageId: number, usernames: readonly string[]): Promise<void> {
  const named = await lookUpNames(ctx, usernames.map(nameKey));
  const userIds = new Set([...named.values()].flatMap((found) => (found?.kind === "user" ? [found.id] : [])));
  const mentions = await mentionsAbout(ctx.db, [messageId]);
  const ids = mentions.flatMap(({ id, user_id }) => (userIds.has(user_id) ? [id] : []));
  await publishGone(ctx, await deleteUnlessFollowed(ctx.db, ids));
}
