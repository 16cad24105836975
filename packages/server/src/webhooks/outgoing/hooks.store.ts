import { type Insertable, type Selectable, sql, type Updateable } from "kysely";
import type { Db } from "../../db/db.ts";
import { lockRows } from "../../db/dialect.ts";
import type { WebhooksTable } from "../../db/tables/webhooks.ts";

export type HookRow = Selectable<WebhooksTable>;
/** The channel or agent that has the hooks. */
export type HookOwner = { channelId: number } | { agentId: number };

const owned = (db: Db, owner: HookOwner) => {
  const all = db.selectFrom("webhooks");
  return "channelId" in owner
    ? all.where("channel_id", "=", owner.channelId)
    : all.where("agent_id", "=", owner.agentId);
};

export const hooksOf = (db: Db, owner: HookOwner): Promise<HookRow[]> =>
  owned(db, owner).selectAll().orderBy("id").execute();

export const findHook = (db: Db, id: number): Promise<HookRow | undefined> =>
  db.selectFrom("webhooks").selectAll().where("id", "=", id).executeTakeFirst();

/** Reads a hook and locks its row until the transaction ends. */
export const lockHook = (db: Db, id: number): Promise<HookRow | undefined> =>
  lockRows(db, db.selectFrom("webhooks").selectAll().where("id", "=", id)).executeTakeFirst();

export const insertHook = (db: Db, row: Insertable<WebhooksTable>): Promise<HookRow> =>
  db.insertInto("webhooks").values(row).returningAll().executeTakeFirstOrThrow();

export const updateHook = (db: Db, id: number, change: Updateable<WebhooksTable>): Promise<HookRow | undefined> =>
  db.updateTable("webhooks").set(change).where("id", "=", id).returningAll().executeTakeFirst();

export async function deleteHook(db: Db, id: number): Promise<void> {
  await db.deleteFrom("webhooks").where("id", "=", id).execute();
}

/** Returns the ids of the hooks that have something to read, of channels that exist. */
export async function hooksBehind(db: Db): Promise<number[]> {
  const ofChannels = await db
    .selectFrom("webhooks")
    .innerJoin("channels", "channels.id", "webhooks.channel_id")
    .select("webhooks.id")
    .where("webhooks.status", "<>", "disabled")
    .where("channels.deleted_at", "is", null)
    .whereRef("channels.last_seq", ">", "webhooks.position")
    .execute();
  const ofAgents = await db
    .selectFrom("webhooks")
    .select("webhooks.id")
    .where("webhooks.status", "<>", "disabled")
    .where("webhooks.agent_id", "is not", null)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom("mentions")
          .select("mentions.id")
          .whereRef("mentions.agent_id", "=", "webhooks.agent_id")
          .whereRef("mentions.id", ">", "webhooks.position"),
      ),
    )
    .execute();
  return [...ofChannels, ...ofAgents].map(({ id }) => id);
}

/** Returns the id of the agent's newest item; 0: none. */
export async function newestItem(db: Db, agentId: number): Promise<number> {
  const row = await db
    .selectFrom("mentions")
    .select((eb) => eb.fn.max("id").as("newest"))
    .where("agent_id", "=", agentId)
    .executeTakeFirst();
  return Number(row?.newest ?? 0);
}

/** Returns the agent's items after `after`, also acknowledged ones, oldest first. */
export function itemsAfter(db: Db, agentId: number, after: number, limit: number) {
  return db
    .selectFrom("mentions")
    .selectAll()
    .where("agent_id", "=", agentId)
    .where("id", ">", after)
    .orderBy("id")
    .limit(limit)
    .execute();
}

/** The facts that decide whether who made a hook may still have it. */
export interface Maker {
  role: "owner" | "admin" | "member" | null;
  admin_level: number | null;
  suspended_until: number | null;
}

/** Returns the rights of a user in a channel as they are now; undefined if there is no such account. */
export function makerIn(db: Db, userId: number, channelId: number): Promise<Maker | undefined> {
  return db
    .selectFrom("users")
    .leftJoin("channel_members", (join) =>
      join.onRef("channel_members.user_id", "=", "users.id").on("channel_members.channel_id", "=", channelId),
    )
    .select(["channel_members.role", "users.admin_level", "users.suspended_until"])
    .where("users.id", "=", userId)
    .where("users.erased_at", "is", null)
    .executeTakeFirst();
}

/** The facts that decide whether an agent's hook may send. */
export interface Holder {
  owner_user_id: number | null;
  owner_verified: number;
  paused: number;
  /** Of the verified owner. */
  suspended_until: number | null;
  /** True if the key that made the hook is still accepted. */
  hasKey: boolean;
}

/** Returns how a hook's agent is now; undefined if there is none. */
export async function holderOf(db: Db, hook: HookRow, now: number): Promise<Holder | undefined> {
  const row = await db
    .selectFrom("agents")
    .leftJoin("users as owner", (join) =>
      join.onRef("owner.id", "=", "agents.owner_user_id").on("agents.owner_verified", "=", 1),
    )
    .leftJoin("api_keys as made", (join) =>
      join.onRef("made.agent_id", "=", "agents.id").on("made.id", "=", hook.created_by_key ?? ""),
    )
    .select(["agents.owner_user_id", "agents.owner_verified", "agents.paused", "owner.suspended_until"])
    .select(["made.id as key", "made.revoked_at"])
    .where("agents.id", "=", hook.agent_id ?? 0)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { key, revoked_at, ...holder } = row;
  return { ...holder, hasKey: key !== null && (revoked_at === null || revoked_at > now) };
}

/** Returns how many events of a channel a hook has not read. */
export async function unread(db: Db, { channel_id, position }: HookRow): Promise<number> {
  if (channel_id === null) return 0;
  const row = await db.selectFrom("channels").select("last_seq").where("id", "=", channel_id).executeTakeFirst();
  return Math.max(0, (row?.last_seq ?? 0) - position);
}

/** Returns a channel's counter, or null if it is gone. */
export async function lastSeqOf(db: Db, channelId: number): Promise<number | null> {
  const row = await db
    .selectFrom("channels")
    .select("last_seq")
    .where("id", "=", channelId)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  return row?.last_seq ?? null;
}

/** Returns the webhooks that a user made, for the export of their data. */
export const madeBy = (db: Db, userId: number): Promise<HookRow[]> =>
  db.selectFrom("webhooks").selectAll().where("created_by_user", "=", userId).orderBy("id").execute();

/** Deletes the hooks that a user made, and their name from incoming ones. */
export async function eraseMaker(db: Db, userId: number): Promise<void> {
  await db.deleteFrom("webhooks").where("created_by_user", "=", userId).execute();
  await db
    .updateTable("incoming_webhooks")
    .set({ created_by_user: null, created_by: sql<null>`null` })
    .where("created_by_user", "=", userId)
    .execute();
}

/** Deletes the hooks of purged channels with their deliveries, and the incoming ones. */
export async function deleteHooksOfPurged(db: Db): Promise<void> {
  for (const table of ["webhooks", "incoming_webhooks"] as const) {
    const channel = db
      .selectFrom("channels")
      .select("id")
      .whereRef("channels.id", "=", sql.ref(`${table}.channel_id`));
    await db
      .deleteFrom(table)
      .where((eb) => eb.exists(channel.where("purged_at", "is not", null)))
      .execute();
  }
}
