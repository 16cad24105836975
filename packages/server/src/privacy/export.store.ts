import type { Db } from "../db/db.ts";

/** A page of one user's rows, in the order of their key, after the last row read. */
export interface PageAfter<T> {
  userId: number;
  last: T | undefined;
  limit: number;
}

export interface ExportedMembership {
  channel_id: number;
  slug: string;
  name: string;
  role: string;
  muted_until: number | null;
  joined_at: number;
  last_read_seq: number;
  notify_level: string | null;
  is_muted: number;
  is_favourite: number;
  section: string | null;
  low_user_id: number | null;
  low_username: string | null;
  high_username: string | null;
  direct_with_agent: string | null;
  purged_messages: number;
  purged_before: number | null;
}

export function membershipsAfter(
  db: Db,
  { userId, last, limit }: PageAfter<ExportedMembership>,
): Promise<ExportedMembership[]> {
  return db
    .selectFrom("channel_members as m")
    .innerJoin("channels as c", "c.id", "m.channel_id")
    .leftJoin("direct_channels as d", "d.channel_id", "c.id")
    .leftJoin("direct_agents as da", "da.channel_id", "c.id")
    .leftJoin("users as low", "low.id", "d.low_user_id")
    .leftJoin("users as high", "high.id", "d.high_user_id")
    .select(["m.channel_id", "c.slug", "c.name", "m.role", "m.muted_until", "m.joined_at", "m.last_read_seq"])
    .select(["m.notify_level", "m.is_muted", "m.is_favourite", "m.section"])
    .select(["d.low_user_id", "low.username as low_username", "high.username as high_username"])
    .select("da.agent_name as direct_with_agent")
    .select(["c.purged_messages", "c.purged_before"])
    .where("m.user_id", "=", userId)
    .where("m.channel_id", ">", last?.channel_id ?? 0)
    .orderBy("m.channel_id")
    .limit(limit)
    .execute();
}

export interface ExportedNotification {
  id: number;
  kind: string;
  channel_id: number;
  message_id: number;
  notice: string | null;
  read_at: number | null;
  created_at: number;
}

export function notificationsAfter(
  db: Db,
  { userId, last, limit }: PageAfter<ExportedNotification>,
): Promise<ExportedNotification[]> {
  return db
    .selectFrom("notifications")
    .select(["id", "kind", "channel_id", "message_id", "notice", "read_at", "created_at"])
    .where("user_id", "=", userId)
    .where("id", ">", last?.id ?? 0)
    .orderBy("id")
    .limit(limit)
    .execute();
}

export interface ExportedReaction {
  message_id: number;
  reaction: string;
  created_at: number;
}

/** A message has at most 20 kinds of reaction, so pages are keyed by message and reaction. */
export function reactionsAfter(
  db: Db,
  { userId, last, limit }: PageAfter<ExportedReaction>,
): Promise<ExportedReaction[]> {
  const [message, reaction] = [last?.message_id ?? 0, last?.reaction ?? ""];
  return db
    .selectFrom("reactions")
    .select(["message_id", "reaction", "created_at"])
    .where("actor_kind", "=", "user")
    .where("actor_id", "=", userId)
    .where((eb) =>
      eb.or([eb("message_id", ">", message), eb.and([eb("message_id", "=", message), eb("reaction", ">", reaction)])]),
    )
    .orderBy("message_id")
    .orderBy("reaction")
    .limit(limit)
    .execute();
}

export interface ExportedFollow {
  root_id: number;
  channel_id: number;
  is_following: number;
  last_read_seq: number;
}

/** Returns the threads that the user follows, or has left. */
export function threadFollowsAfter(
  db: Db,
  { userId, last, limit }: PageAfter<ExportedFollow>,
): Promise<ExportedFollow[]> {
  return db
    .selectFrom("thread_follows")
    .select(["root_id", "channel_id", "is_following", "last_read_seq"])
    .where("user_id", "=", userId)
    .where("root_id", ">", last?.root_id ?? 0)
    .orderBy("root_id")
    .limit(limit)
    .execute();
}

export interface ExportedReport {
  id: number;
  message_id: number;
  channel_id: number;
  reason: string;
  status: string;
  created_at: number;
}

export function reportsAfter(db: Db, { userId, last, limit }: PageAfter<ExportedReport>): Promise<ExportedReport[]> {
  return db
    .selectFrom("reports")
    .select(["id", "message_id", "channel_id", "reason", "status", "created_at"])
    .where("reporter_id", "=", userId)
    .where("id", ">", last?.id ?? 0)
    .orderBy("id")
    .limit(limit)
    .execute();
}

export async function currenciesOf(db: Db, account: string): Promise<string[]> {
  const rows = await db
    .selectFrom("ledger_balances")
    .select("currency")
    .where("account", "=", account)
    .orderBy("currency")
    .execute();
  return rows.map(({ currency }) => currency);
}

export interface ExportedPacket {
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

/** Returns red packets that the user sent. */
export function packetsAfter(db: Db, { userId, last, limit }: PageAfter<ExportedPacket>): Promise<ExportedPacket[]> {
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

export interface ExportedClaim {
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

/** Returns the id of the newest red packet. */
export async function lastPacket(db: Db): Promise<number> {
  const row = await db
    .selectFrom("packets")
    .select((eb) => eb.fn.max("id").as("id"))
    .executeTakeFirst();
  return row?.id ?? 0;
}

/**
 * Returns the user's claims of the red packets above `after`, up to `upTo`. It looks up each packet, because no index
 * covers claims by user.
 */
export function claimsOfPackets(db: Db, userId: number, after: number, upTo: number): Promise<ExportedClaim[]> {
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

export interface ExportedPayment {
  id: number;
  resource: string;
  state: string;
  reason: string | null;
  chain: string;
  chain_id: number;
  currency: string;
  tx_hash: string;
  amount: string | null;
  payer: string | null;
  created_at: number;
}

/** Returns the payments that the user presented. */
export function paymentsAfter(db: Db, { userId, last, limit }: PageAfter<ExportedPayment>): Promise<ExportedPayment[]> {
  return db
    .selectFrom("payments")
    .select([
      "id",
      "resource",
      "state",
      "reason",
      "chain",
      "chain_id",
      "currency",
      "tx_hash",
      "amount",
      "payer",
      "created_at",
    ])
    .where("principal", "=", `u${userId}`)
    .where("id", ">", last?.id ?? 0)
    .orderBy("id")
    .limit(limit)
    .execute();
}

export function bansOf(db: Db, userId: number) {
  return db
    .selectFrom("channel_bans")
    .select(["channel_id", "reason", "until", "created_at"])
    .where("user_id", "=", userId)
    .orderBy("channel_id")
    .execute();
}

/** Returns the notices in the inboxes of the agents of which the user is the verified owner. */
export function agentNoticesOf(db: Db, userId: number) {
  return db
    .selectFrom("mentions")
    .innerJoin("agents", "agents.id", "mentions.agent_id")
    .select(["mentions.agent_id", "mentions.notice", "mentions.created_at"])
    .where("agents.owner_user_id", "=", userId)
    .where("agents.owner_verified", "=", 1)
    .where("mentions.kind", "=", "notice")
    .orderBy("mentions.id")
    .execute();
}

/** Returns the social accounts with which the user claimed the agents of which they are the verified owner. */
export function socialAccountsOf(db: Db, userId: number) {
  return db
    .selectFrom("social_claims")
    .innerJoin("agents", "agents.id", "social_claims.agent_id")
    .select(["provider", "account_id", "handle", "agent_id", "claimed_at", "recovered_at"])
    .where("agents.owner_user_id", "=", userId)
    .where("agents.owner_verified", "=", 1)
    .orderBy("agent_id")
    .execute();
}
