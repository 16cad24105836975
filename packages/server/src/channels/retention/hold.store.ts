import type { Kysely } from "kysely";
import type { Millis } from "../../db/columns.ts";
import type { Tables } from "../../db/tables/tables.ts";

/** Writes a hold, or ends it. The caller has locked the channel's row. */
export async function writeHold(
  db: Kysely<Tables>,
  channelId: number,
  hold: { until: Millis | null; reason: string | null },
): Promise<void> {
  await db
    .updateTable("channels")
    .set({ held_until: hold.until, hold_reason: hold.reason })
    .where("id", "=", channelId)
    .execute();
}
