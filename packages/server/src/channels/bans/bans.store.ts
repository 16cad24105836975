import type { Insertable } from "kysely";
import type { Db } from "../../db/db.ts";
import type { ChannelBansTable } from "../../db/tables/moderation.ts";
import type { MemberKey } from "../../http/identity.ts";

/** The terms of a ban. */
export interface ActiveBan {
  /** Epoch ms; null: until it is lifted. May lie in the past. */
  readonly until: number | null;
}

export async function findBan(db: Db, channelId: number, member: MemberKey): Promise<ActiveBan | null> {
  const row = await db
    .selectFrom("channel_bans")
    .select("until")
    .where("channel_id", "=", channelId)
    .where("member_key", "=", member)
    .executeTakeFirst();
  return row ?? null;
}

/** Inserts a ban or replaces the existing one. */
export async function putBan(db: Db, ban: Insertable<ChannelBansTable>): Promise<void> {
  const { channel_id: _, member_key: __, ...values } = ban;
  await db
    .insertInto("channel_bans")
    .values(ban)
    .onConflict((conflict) => conflict.columns(["channel_id", "member_key"]).doUpdateSet(values))
    .execute();
}

/** Returns false if there is no ban. */
export async function deleteBan(db: Db, channelId: number, member: MemberKey): Promise<boolean> {
  const result = await db
    .deleteFrom("channel_bans")
    .where("channel_id", "=", channelId)
    .where("member_key", "=", member)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

export interface BanRow {
  member_key: string;
  agent_id: number | null;
  /** null: an agent without a name of its own. */
  name: string | null;
  banned_by: string;
  reason: string | null;
  until: number | null;
  created_at: number;
}

const banRows = (db: Db, channelId: number) =>
  db
    .selectFrom("channel_bans as b")
    .leftJoin("users as u", "u.id", "b.user_id")
    .select(["b.member_key", "b.agent_id", "b.banned_by", "b.reason", "b.until", "b.created_at"])
    .select((eb) =>
      eb.fn
        .coalesce(
          "u.username",
          eb
            .selectFrom("names as n")
            .whereRef("n.agent_id", "=", "b.agent_id")
            .select((of) => of.fn.min("n.name").as("name")),
        )
        .$castTo<string | null>()
        .as("name"),
    )
    .where("b.channel_id", "=", channelId);

/** Returns one ban, expired or not. */
export async function findBanRow(db: Db, channelId: number, member: MemberKey): Promise<BanRow | null> {
  return (await banRows(db, channelId).where("b.member_key", "=", member).executeTakeFirst()) ?? null;
}

/** Returns the active bans, newest first. */
export function listBans(
  db: Db,
  channelId: number,
  now: number,
  page: { limit: number; offset: number },
): Promise<BanRow[]> {
  return banRows(db, channelId)
    .where((eb) => eb.or([eb("b.until", "is", null), eb("b.until", ">", now)]))
    .orderBy("b.created_at", "desc")
    .orderBy("b.member_key")
    .limit(page.limit)
    .offset(page.offset)
    .execute();
}

/** Returns the ids of banned agents that have no name of their own. */
export async function namelessBanned(db: Db, channelId: number): Promise<number[]> {
  const rows = await db
    .selectFrom("channel_bans as b")
    .leftJoin("names as n", "n.agent_id", "b.agent_id")
    .select("b.agent_id")
    .where("b.channel_id", "=", channelId)
    .where("b.agent_id", "is not", null)
    .where("n.name_key", "is", null)
    .orderBy("b.agent_id")
    .execute();
  return rows.flatMap(({ agent_id }) => agent_id ?? []);
}

/** Deletes expired bans; returns how many. */
export async function deleteLapsedBans(db: Db, now: number): Promise<number> {
  const result = await db.deleteFrom("channel_bans").where("until", "<=", now).executeTakeFirst();
  return Number(result.numDeletedRows);
}
