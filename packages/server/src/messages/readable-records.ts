import { isRetryable } from "@parley/protocol/errors";
import type { ChatMessage } from "@parley/protocol/models";
import { membershipOf, readableChannel } from "../channels/access/access.ts";
import { isOpen } from "../channels/channel.ts";
import { findChannel } from "../channels/channel-cache.ts";
import type { AppContext } from "../context.ts";
import { AppError } from "../errors.ts";
import { findMessages } from "../event-log/rows.ts";
import type { Identity } from "../http/identity.ts";
import { actorOf, markedRecords } from "./own-fields.ts";

/**
 * Returns the records of those messages that the caller may read now, by their ids: not those that are deleted, that
 * have ended, or whose channel they may not read. `byLevel`: administrators get what they may read by their level only,
 * which is audited.
 */
export async function readableRecords(
  ctx: AppContext,
  caller: Identity,
  ids: readonly number[],
  { byLevel }: { byLevel: boolean },
): Promise<Map<number, ChatMessage>> {
  const now = ctx.clock.now();
  const found = (await findMessages(ctx.db, ids)).filter(
    ({ deleted_at, expires_at }) => deleted_at === null && (expires_at === null || expires_at > now),
  );
  const slugs = new Map<number, string | null>();
  for (const { channel_id } of found)
    if (!slugs.has(channel_id)) slugs.set(channel_id, await readableSlug(ctx, caller, channel_id, byLevel));
  const readable = found.flatMap((row) => {
    const slug = slugs.get(row.channel_id) ?? null;
    return slug === null ? [] : [{ ...row, slug }];
  });
  const records = await markedRecords(ctx, actorOf(caller), readable);
  return new Map(readable.map(({ id }, at) => [id, JSON.parse(records[at] ?? "") as ChatMessage]));
}

/** Returns the slug of a channel that the caller may read now; null: they may not. */
async function readableSlug(ctx: AppContext, caller: Identity, id: number, byLevel: boolean): Promise<string | null> {
  try {
    if (!byLevel) {
      const channel = await findChannel(ctx, { id });
      if (channel === null) return null;
      if (!isOpen(channel) && (await membershipOf(ctx, caller, channel)) === null) return null;
    }
    return (await readableChannel(ctx, caller, { id })).slug;
  } catch (error) {
    if (error instanceof AppError && !isRetryable(error.code)) return null;
    throw error;
  }
}
