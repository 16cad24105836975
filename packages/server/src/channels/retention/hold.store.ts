import type { Millis } from "../../db/columns.ts";
import type { Db } from "../../db/db.ts";

/** Writes a hold, or ends it. The caller has locked the channel's row. */
export async function writeHold(
  db: Db,
  channelId: number,
  hold: { until: Millis | null; reason: string | null },
): Promise<void> {
  await db
    .updateTable("channels")
    .set({ held_until: hold.until, hold_reason: hold.reason })
    .where("id", "=", channelId)
    .execute();
}
