import type { Kysely } from "kysely";
import type { Tables } from "../db/tables/tables.ts";

/** Returns the senders of the packets with these references. */
export async function sendersByReference(db: Kysely<Tables>, references: readonly string[]): Promise<number[]> {
  const rows = await db.selectFrom("packets").select("sender_id").where("reference", "in", references).execute();
  return rows.map(({ sender_id }) => sender_id);
}
