import { type Selectable, sql } from "kysely";
import type { Db } from "../db/db.ts";
import type { PacketsTable } from "../db/tables/packets.ts";

/** The amounts a packet states; `balance` is the ledger's; null if it never held anything. */
export interface PacketSums
  extends Pick<
    Selectable<PacketsTable>,
    "id" | "funding_status" | "total_amount" | "remaining_amount" | "refund_amount" | "count" | "remaining_count"
  > {
  balance: string | null;
}

/** Returns a page of packets, by id. */
export function packetsAfter(db: Db, after: number, limit: number): Promise<PacketSums[]> {
  return db
    .selectFrom("packets")
    .leftJoin("ledger_balances as held", (join) =>
      join
        .on("held.account", "=", sql<string>`'packet:' || packets.id`)
        .onRef("held.currency", "=", "packets.ledger_currency"),
    )
    .select([
      "packets.id",
      "packets.funding_status",
      "packets.total_amount",
      "packets.remaining_amount",
      "packets.refund_amount",
      "packets.count",
      "packets.remaining_count",
      "held.balance",
    ])
    .where("packets.id", ">", after)
    .orderBy("packets.id")
    .limit(limit)
    .execute();
}

/** Returns what was claimed from the packets above one id, up to another. */
export function claimedBetween(db: Db, after: number, last: number): Promise<{ packet_id: number; amount: string }[]> {
  return db
    .selectFrom("packet_claims")
    .select(["packet_id", "amount"])
    .where("packet_id", ">", after)
    .where("packet_id", "<=", last)
    .execute();
}
