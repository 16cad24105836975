import { type Insertable, sql } from "kysely";
import { HIDDEN_AT } from "../../base/hidden-at.ts";
import type { Db } from "../../db/db.ts";
import { SizedStatement } from "../../db/statements/sized-statement.ts";
import type { ChannelAgentsTable, ChannelMembersTable } from "../../db/tables/channels.ts";
import { type NewChannel, newRow } from "../channels.store.ts";

/** Inserts a channel that nobody sees. Its slug is not unique before it is shown. */
export async function insertHidden(db: Db, channel: NewChannel): Promise<number> {
  const row = await db
    .insertInto("channels")
    .values({ ...newRow(channel), deleted_at: HIDDEN_AT })
    .returning("id")
    .executeTakeFirstOrThrow();
  return row.id;
}

/** Returns the slugs of hidden channels that equal `base` or start with `base-`. */
export async function hiddenSlugs(db: Db, base: string): Promise<string[]> {
  const rows = await db
    .selectFrom("channels")
    .select("slug")
    .where((eb) => eb.or([eb("slug", "=", base), eb("slug", "like", `${base}-%`)]))
    .where("deleted_at", "=", HIDDEN_AT)
    .execute();
  return rows.map(({ slug }) => slug);
}

type NewMember = Pick<Insertable<ChannelMembersTable>, "channel_id" | "user_id" | "role" | "joined_at">;
const A_MEMBER: NewMember = { channel_id: 0, user_id: 0, role: "member", joined_at: 0 };
const ADD_MEMBERS = new SizedStatement(A_MEMBER, (db, rows) => db.insertInto("channel_members").values(rows).compile());

export const addMembers = (db: Db, rows: readonly NewMember[]): Promise<unknown> => ADD_MEMBERS.run(db, rows);

type NewAgent = Pick<Insertable<ChannelAgentsTable>, "channel_id" | "agent_id" | "joined_at">;
const AN_AGENT: NewAgent = { channel_id: 0, agent_id: 0, joined_at: 0 };
const ADD_AGENTS = new SizedStatement(AN_AGENT, (db, rows) => db.insertInto("channel_agents").values(rows).compile());

export const addAgents = (db: Db, rows: readonly NewAgent[]): Promise<unknown> => ADD_AGENTS.run(db, rows);

/** Hidden channels whose slugs others have taken meanwhile, or have each other's. */
export async function slugsInTheWay(db: Db, ids: readonly number[]): Promise<{ id: number; slug: string }[]> {
  return db
    .selectFrom("channels as hidden")
    .innerJoin("channels as other", "other.slug", "hidden.slug")
    .select(["hidden.id", "hidden.slug"])
    .where("hidden.id", "in", ids)
    .where("other.deleted_at", "is", null)
    .whereRef("other.id", "<>", "hidden.id")
    .orderBy("hidden.id")
    .execute();
}

export async function setSlug(db: Db, id: number, slug: string): Promise<void> {
  await db.updateTable("channels").set({ slug }).where("id", "=", id).execute();
}

/** Shows channels with all messages that they have, which everybody in them has read. */
export async function showChannels(db: Db, ids: readonly number[], now: number): Promise<void> {
  await db
    .updateTable("channels")
    .set({
      last_seq: sql<number>`coalesce((select max(seq) from messages where channel_id = channels.id), 0)`,
      last_message_at: sql<number>`coalesce((select created_at from messages where channel_id = channels.id
        order by seq desc limit 1), channels.created_at)`,
      updated_at: now,
      deleted_at: null,
    })
    .where("id", "in", ids)
    .where("deleted_at", "=", HIDDEN_AT)
    .execute();
  await db
    .updateTable("channel_members")
    .set({ last_read_seq: sql<number>`(select last_seq from channels where id = channel_members.channel_id)` })
    .where("channel_id", "in", ids)
    .execute();
}

/** Hides channels that are shown; their messages stay. */
export async function hideChannels(db: Db, ids: readonly number[]): Promise<void> {
  await db.updateTable("channels").set({ deleted_at: HIDDEN_AT }).where("id", "in", ids).execute();
}

/** Deletes hidden channels, with members and conversations. Their messages are gone already. */
export async function deleteHidden(db: Db, ids: readonly number[]): Promise<void> {
  await db.deleteFrom("channels").where("id", "in", ids).where("deleted_at", "=", HIDDEN_AT).execute();
}

/** Returns the user ids of the members of these channels, in order. */
export function membersOf(db: Db, ids: readonly number[]): Promise<{ channel_id: number; user_id: number }[]> {
  return db
    .selectFrom("channel_members")
    .select(["channel_id", "user_id"])
    .where("channel_id", "in", ids)
    .orderBy("channel_id")
    .orderBy("user_id")
    .execute();
}

/** The facts of a channel that a second one of the same people needs. */
export async function factsOf(db: Db, id: number) {
  const row = await db
    .selectFrom("channels")
    .select(["name", "slug", "is_private", "owner_id", "created_at", "deleted_at"])
    .where("id", "=", id)
    .executeTakeFirst();
  return row ?? null;
}

/** Returns the users and agents of a channel. */
export async function peopleOf(db: Db, id: number): Promise<{ memberIds: number[]; agentIds: number[] }> {
  const members = await db.selectFrom("channel_members").select("user_id").where("channel_id", "=", id).execute();
  const agents = await db.selectFrom("channel_agents").select("agent_id").where("channel_id", "=", id).execute();
  return { memberIds: members.map(({ user_id }) => user_id), agentIds: agents.map(({ agent_id }) => agent_id) };
}

/** Removes from a hidden channel whoever has left the one whose people it has. */
export async function keepPeopleOf(db: Db, id: number, other: number): Promise<void> {
  await db
    .deleteFrom("channel_members")
    .where("channel_id", "=", id)
    .where("user_id", "not in", (eb) =>
      eb.selectFrom("channel_members").select("user_id").where("channel_id", "=", other),
    )
    .execute();
  await db
    .deleteFrom("channel_agents")
    .where("channel_id", "=", id)
    .where("agent_id", "not in", (eb) =>
      eb.selectFrom("channel_agents").select("agent_id").where("channel_id", "=", other),
    )
    .execute();
}

/** Marks a channel as read by all its members. */
export async function readByMembers(db: Db, id: number): Promise<void> {
  await db
    .updateTable("channel_members")
    .set({ last_read_seq: sql<number>`(select last_seq from channels where id = channel_members.channel_id)` })
    .where("channel_id", "=", id)
    .execute();
}

/** Sets when the channel's last message was sent, after later ones were taken out. */
export async function setLastMessageAt(db: Db, id: number, at: number): Promise<void> {
  await db.updateTable("channels").set({ last_message_at: at }).where("id", "=", id).execute();
}
