import type { Selectable } from "kysely";
import type { Db } from "../../db/db.ts";
import { paddedList, SizedStatement } from "../../db/statements/sized-statement.ts";
import type { PacketClaimsTable } from "../../db/tables/packets.ts";

/** A claim with the name of its claimer. */
export type ClaimRow = Selectable<PacketClaimsTable> & { username: string };

const claimRows = (db: Db) =>
  db
    .selectFrom("packet_claims as claim")
    .innerJoin("users", "users.id", "claim.user_id")
    .selectAll("claim")
    .select("users.username");

/** Returns the claims of a packet, by rank. */
export function claimsOf(db: Db, packetId: number): Promise<ClaimRow[]> {
  return claimRows(db).where("claim.packet_id", "=", packetId).orderBy("claim.rank").execute();
}

/** Returns the ids of the users who have claimed from a packet. */
export async function claimersOf(db: Db, packetId: number): Promise<number[]> {
  const rows = await db.selectFrom("packet_claims").select("user_id").where("packet_id", "=", packetId).execute();
  return rows.map(({ user_id }) => user_id);
}

const OF_USERS = new SizedStatement({ user_id: 0 }, (db, rows) =>
  claimRows(db)
    .where(
      "claim.user_id",
      "in",
      rows.map(({ user_id }) => user_id),
    )
    .where("claim.packet_id", "=", 0)
    .compile(),
);

/** Returns the claims of these users on a packet. */
export function claimsOfUsers(db: Db, packetId: number, userIds: readonly number[]): Promise<ClaimRow[]> {
  const asked = userIds.map((user_id) => ({ user_id }));
  return OF_USERS.run<ClaimRow>(db, asked, [packetId]);
}

/** Returns one user's claims on these packets; at most 512 packets. */
export function claimsOfUser(db: Db, userId: number, packetIds: readonly number[]): Promise<ClaimRow[]> {
  return claimRows(db)
    .where("claim.user_id", "=", userId)
    .where("claim.packet_id", "in", paddedList(packetIds))
    .execute();
}

/** Greater than the number of shares of any packet. */
const RANKS = 256;

/** Returns a claim's id, which combines packet and rank so that claims of one packet are adjacent. */
export const claimId = (packetId: number, rank: number): number => packetId * RANKS + rank;

const BLANK: Selectable<PacketClaimsTable> = {
  id: 0,
  packet_id: 0,
  user_id: 0,
  rank: 0,
  amount: "",
  address: null,
  payout_status: "settled",
  payout_tx_hash: null,
  claimed_at: 0,
};

const INSERT = new SizedStatement(BLANK, (db, rows) => db.insertInto("packet_claims").values(rows).compile());

/** Inserts claims. @throws a unique violation for a second claim of one user or rank */
export async function insertClaims(db: Db, claims: readonly Selectable<PacketClaimsTable>[]): Promise<void> {
  await INSERT.run(db, claims);
}

/** Stores the payout status of a claim. Does nothing if it is settled. */
export async function setClaimPayout(
  db: Db,
  packetId: number,
  userId: number,
  payout: Pick<Selectable<PacketClaimsTable>, "payout_status" | "payout_tx_hash">,
): Promise<void> {
  await db
    .updateTable("packet_claims")
    .set(payout)
    .where("packet_id", "=", packetId)
    .where("user_id", "=", userId)
    .where("payout_status", "!=", "settled")
    .execute();
}
