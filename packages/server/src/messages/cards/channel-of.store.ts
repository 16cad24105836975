import type { Kysely } from "kysely";
import type { Tables } from "../../db/tables/tables.ts";

/** Returns a channel's slug, also of a deleted one. */
export async function channelOf(db: Kysely<Tables>, channelId: number): Promise<{ slug: string }> {
  const row = await db.selectFrom("channels").select("slug").where("id", "=", channelId).executeTakeFirst();
  return { slug: row?.slug ?? "" };
}
