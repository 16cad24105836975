import type { Observed } from "../chains/chain.ts";
import type { AppContext } from "../context.ts";
import type { Db } from "../db/db.ts";

/**
 * Returns whether a transaction carries the reference of a packet. It then pays for that packet, whoever presents its
 * hash: anyone can read the hash, and can write the sender's address into their own profile. Packets of the user
 * `exceptOf` do not count.
 */
export async function isForPacket(
  ctx: AppContext,
  { references }: Pick<Observed, "references">,
  { exceptOf }: { exceptOf?: number | undefined } = {},
): Promise<boolean> {
  if (references.length === 0) return false;
  return (await sendersByReference(ctx.db, references)).some((sender) => sender !== exceptOf);
}

/** Returns the senders of the packets with these references. */
export async function sendersByReference(db: Db, references: readonly string[]): Promise<number[]> {
  const rows = await db.selectFrom("packets").select("sender_id").where("reference", "in", references).execute();
  return rows.map(({ sender_id }) => sender_id);
}
