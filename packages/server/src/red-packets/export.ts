import type { AppContext } from "../context.ts";
import type { Db } from "../db/db.ts";
import { type PageAfter, pagedList, recordsOf, withTimes } from "../user-export.ts";

/** Packets scanned at a time, which takes a few milliseconds. */
const PACKETS = 5_000;

interface ExportedPacket {
  id: number;
  channel_id: number;
  message_id: number | null;
  chain: string;
  chain_id: number | null;
  currency: string;
  total_amount: string;
  count: number;
  greeting: string;
  status: string;
  tx_hash: string | null;
  funder: string | null;
  refund_amount: string | null;
  created_at: number;
}

function packetsAfter(db: Db, { userId, last, limit }: PageAfter<ExportedPacket>): Promise<ExportedPacket[]> {
  return db
    .selectFrom("packets")
    .select(["id", "channel_id", "message_id", "chain", "chain_id", "currency", "total_amount", "count"])
    .select(["greeting", "status", "tx_hash", "funder", "refund_amount", "created_at"])
    .where("sender_id", "=", userId)
    .where("id", ">", last?.id ?? 0)
    .orderBy("id")
    .limit(limit)
    .execute();
}

interface ExportedClaim {
  id: number;
  packet_id: number;
  chain: string;
  chain_id: number | null;
  currency: string;
  amount: string;
  address: string | null;
  payout_status: string;
  payout_tx_hash: string | null;
  claimed_at: number;
}

async function lastPacket(db: Db): Promise<number> {
  const row = await db
    .selectFrom("packets")
    .select((eb) => eb.fn.max("id").as("id"))
    .executeTakeFirst();
  return row?.id ?? 0;
}

function claimsOfPackets(db: Db, userId: number, after: number, upTo: number): Promise<ExportedClaim[]> {
  return db
    .selectFrom("packets")
    .innerJoin("packet_claims as claim", (join) =>
      join.onRef("claim.packet_id", "=", "packets.id").on("claim.user_id", "=", userId),
    )
    .select(["claim.id", "claim.packet_id", "packets.chain", "packets.chain_id", "packets.currency", "claim.amount"])
    .select(["claim.address", "claim.payout_status", "claim.payout_tx_hash", "claim.claimed_at"])
    .where("packets.id", ">", after)
    .where("packets.id", "<=", upTo)
    .orderBy("packets.id")
    .execute();
}

async function* claimPages(ctx: AppContext, userId: number): AsyncGenerator<ExportedClaim[]> {
  const last = await lastPacket(ctx.db);
  for (let after = 0; after < last; after += PACKETS) {
    yield await claimsOfPackets(ctx.db, userId, after, after + PACKETS);
  }
}

export const exportPackets = pagedList(packetsAfter, ({ id, ...row }) => ({ packet_id: id, ...withTimes(row) }));

export const exportClaims = recordsOf(
  (ctx, { userId }) => claimPages(ctx, userId),
  ({ id, ...row }) => ({ claim_id: id, ...withTimes(row) }),
);
