import { sql } from "kysely";
import type { AppContext } from "../../context.ts";
import type { Millis } from "../../db/columns.ts";
import { channelChanged } from "../channel-cache.ts";

/**
 * Notes on the channel's row that messages were removed, in the transaction that removes them: those older than
 * `before`, or single ones that had expired (null).
 */
export async function notePurged(
  ctx: AppContext,
  channelId: number,
  { messages, before }: { messages: number; before: Millis | null },
): Promise<void> {
  await ctx.db
    .updateTable("channels")
    .set({
      purged_messages: sql<number>`purged_messages + ${messages}`,
      ...(before === null ? {} : { purged_before: before }),
    })
    .where("id", "=", channelId)
    .execute();
  channelChanged(ctx, channelId);
}

/** What was removed from a channel so far, as its export says it. */
export interface Purged {
  removed_messages: number;
  /** ISO 8601: older messages were removed for their age; null: none was. */
  removed_before: string | null;
}

/** Returns what retention has removed from these channels, by channel (protocol §13.8). */
export async function purgedOf(ctx: AppContext, channelIds: readonly number[]): Promise<Map<number, Purged>> {
  if (channelIds.length === 0) return new Map();
  const rows = await ctx.db
    .selectFrom("channels")
    .select(["id", "purged_messages", "purged_before"])
    .where("id", "in", channelIds)
    .execute();
  return new Map(
    rows.map(({ id, purged_messages, purged_before }) => [
      id,
      {
        removed_messages: purged_messages,
        removed_before: purged_before === null ? null : new Date(purged_before).toISOString(),
      },
    ]),
  );
}
