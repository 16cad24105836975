import { readAllChannels } from "../../channels/reading/reading.service.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import type { UserIdentity } from "../../http/identity.ts";
import { readAllThreads } from "../../messages/threads/thread-marks.ts";
import { publishEvent } from "../../realtime/publish.ts";
import { userTopic } from "../../realtime/topics.ts";
import { markAllOfMessages } from "../list/list.store.ts";
import { unreadOf } from "../list/notifications.service.ts";

/** How much was unread. */
interface ReadAll {
  channels: number;
  threads: number;
  notifications: number;
}

/**
 * Reads everything that waits for the caller: their channels and followed threads up to their ends as they are now, and the
 * notifications of messages and reactions. Idempotent. Tells all sockets of the user once (`read:all`), if anything changed.
 */
export async function readAll(ctx: AppContext, { userId }: UserIdentity): Promise<ReadAll> {
  const channels = await readAllChannels(ctx, userId);
  const threads = await readAllThreads(ctx, userId);
  return transact(ctx, async (ctx) => {
    const notifications = await markAllOfMessages(ctx.db, userId, ctx.clock.now());
    const isChanged = channels + threads + notifications > 0;
    if (isChanged) publishEvent(ctx, userTopic(userId), "read:all", { unread: await unreadOf(ctx, userId) });
    return { channels, threads, notifications };
  });
}
