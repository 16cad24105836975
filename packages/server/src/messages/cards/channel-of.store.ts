import type { Db } from "../../db/db.ts";

/** Returns a channel's slug, also of a deleted one. */
export async function channelOf(db: Db, channelId: number): Promise<{ slug: string }> {
  const row = await db.selectFrom("channels").select("slug").where("id", "=", channelId).executeTakeFirst();
  return { slug: row?.slug ?? "" };
}
