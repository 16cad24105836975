import { sql } from "kysely";
import { isoTimeOrNull } from "../../base/iso-time.ts";
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

/** Returns what was removed from the channel so far (protocol §13.8). */
export async function purgedOf(ctx: AppContext, channelId: number): Promise<Purged> {
  const row = await ctx.db
    .selectFrom("channels")
    .select(["purged_messages", "purged_before"])
    .where("id", "=", channelId)
    .executeTakeFirstOrThrow();
  const before = row.purged_before;
  return {
    removed_messages: row.purged_messages,
    removed_before: isoTimeOrNull(before),
  };
}
