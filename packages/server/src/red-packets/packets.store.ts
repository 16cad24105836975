import type { PacketStatus } from "@parley/protocol/red-packets";
import { type ExpressionBuilder, type Insertable, type Selectable, sql, type Updateable } from "kysely";
import type { Db } from "../db/db.ts";
import { SizedStatement } from "../db/statements/sized-statement.ts";
import type { PacketsTable } from "../db/tables/packets.ts";
import type { Tables } from "../db/tables/tables.ts";

/** A packet with the name of its sender. */
export type PacketRow = Selectable<PacketsTable> & { sender_username: string };

const packetRows = (db: Db) =>
  db
    .selectFrom("packets")
    .innerJoin("users", "users.id", "packets.sender_id")
    .selectAll("packets")
    .select("users.username as sender_username");

const BY_ID = new SizedStatement({ id: 0 }, (db, rows) =>
  packetRows(db)
    .where(
      "packets.id",
      "in",
      rows.map(({ id }) => id),
    )
    .compile(),
);

export async function findPacket(db: Db, id: number): Promise<PacketRow | undefined> {
  const [row] = await BY_ID.run<PacketRow>(db, [{ id }]);
  return row;
}

/** Returns the packet created under that key. */
export function findByClientKey(db: Db, key: string): Promise<PacketRow | undefined> {
  return packetRows(db).where("packets.client_key", "=", key).executeTakeFirst();
}

/**
 * Inserts a packet and returns its id; null when its key is taken. Waits for a concurrent transaction that inserts the
 * key.
 */
export async function insertPacket(db: Db, packet: Insertable<PacketsTable>): Promise<number | null> {
  const row = await db
    .insertInto("packets")
    .values(packet)
    .onConflict((conflict) => conflict.column("client_key").where("client_key", "is not", null).doNothing())
    .returning("id")
    .executeTakeFirst();
  return row?.id ?? null;
}

/** Updates a packet; false if its status, remaining count or funding status changed since it was read. */
export async function changePacket(db: Db, before: PacketRow, change: Updateable<PacketsTable>): Promise<boolean> {
  const result = await db
    .updateTable("packets")
    .set(change)
    .where("id", "=", before.id)
    .where("status", "=", before.status)
    .where("remaining_count", "=", before.remaining_count)
    .where("funding_status", "=", before.funding_status)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** The columns that taking shares changes; the last shares close the packet. */
export type Left = Pick<
  PacketRow,
  "remaining_count" | "remaining_amount" | "status" | "close_reason" | "closed_at" | "due_at"
>;

const TAKEN: Left & { id: number; had: number } = {
  remaining_count: 0,
  remaining_amount: "",
  status: "active",
  close_reason: null,
  closed_at: null,
  due_at: null,
  id: 0,
  had: 0,
};
const TAKE = new SizedStatement(TAKEN, (db, [{ id, had, ...left } = TAKEN]) =>
  db
    .updateTable("packets")
    .set(left)
    .where("id", "=", id)
    .where("remaining_count", "=", had)
    .where("status", "=", sql.lit("active" as const))
    .returning("id")
    .compile(),
);

/** Takes shares out of a packet; false if it is not active or its remaining count changed since it was read. */
export async function takeShares(db: Db, { id, remaining_count: had }: PacketRow, left: Left): Promise<boolean> {
  return (await TAKE.run(db, [{ ...left, id, had }])).length === 1;
}

/** Returns packets of a channel, newest first; optionally only those before an id or of one status. */
export function packetsOf(
  db: Db,
  channelId: number,
  page: { before?: number | undefined; status?: PacketStatus | undefined; limit: number },
): Promise<PacketRow[]> {
  const { before, status, limit } = page;
  return packetRows(db)
    .where("packets.channel_id", "=", channelId)
    .$if(before !== undefined, (query) => query.where("packets.id", "<", before ?? 0))
    .$if(status !== undefined, (query) => query.where("packets.status", "=", status ?? "active"))
    .orderBy("packets.id", "desc")
    .limit(limit)
    .execute();
}

/** Returns the ids of the packets due for the sweeper, longest due first. */
export async function duePackets(db: Db, now: number, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom("packets")
    .select("id")
    .where("due_at", "is not", null)
    .where("due_at", "<=", now)
    .orderBy("due_at")
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Sets when the sweeper next checks a packet, if it is due now. */
export async function postpone(db: Db, id: number, now: number, until: number): Promise<void> {
  await db.updateTable("packets").set({ due_at: until }).where("id", "=", id).where("due_at", "<=", now).execute();
}

/**
 * States in which value may still move out of a packet. An exhausted packet is open as long as one of its payouts is.
 */
const OPEN_STATUSES: readonly PacketStatus[] = ["pending_funding", "active", "refunding"];

/**
 * States in which value may still move out of a packet if it has some left or its funding transfer was seen; a packet
 * never funded stays so for ever.
 */
const ENDED_STATUSES: readonly PacketStatus[] = ["expired", "cancelled"];

/** Returns whether value may still move out of a packet, apart from payouts of its shares. */
export const isOpenPacket = (eb: ExpressionBuilder<Tables, "packets">) =>
  eb.or([
    eb("packets.status", "in", OPEN_STATUSES),
    eb.and([
      eb("packets.status", "in", ENDED_STATUSES),
      eb.or([
        eb("packets.remaining_amount", "<>", "0"),
        eb.and([eb("packets.funding_status", "=", "pending"), eb("packets.funder", "is not", null)]),
      ]),
    ]),
  ]);

/** Returns the number of packets out of which value may still move, apart from payouts of their shares. */
export async function countOpenPackets(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom("packets")
    .select((of) => of.fn.countAll<number>().as("count"))
    .where(isOpenPacket)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Returns whether the channel has a packet out of which value may still move. */
export async function hasOpenPacket(db: Db, channelId: number): Promise<boolean> {
  const row = await db
    .selectFrom("packets")
    .select("packets.id")
    .where("channel_id", "=", channelId)
    .where((eb) =>
      eb.or([
        isOpenPacket(eb),
        eb.exists(
          eb
            .selectFrom("packet_claims as claim")
            .select("claim.id")
            .whereRef("claim.packet_id", "=", "packets.id")
            .where("claim.payout_status", "=", "pending"),
        ),
      ]),
    )
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
