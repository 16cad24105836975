import type { DmPolicy } from "@parley/protocol/values";
import type { Db } from "../db/db.ts";

/** The columns that decide who may control an agent. */
export interface AgentRow {
  id: number;
  owner_user_id: number | null;
  owner_verified: number;
  paused: number;
  paused_by_staff: number;
}

const COLUMNS = ["id", "owner_user_id", "owner_verified", "paused", "paused_by_staff"] as const;

export async function findAgent(db: Db, agentId: number): Promise<AgentRow | null> {
  return (await db.selectFrom("agents").select(COLUMNS).where("id", "=", agentId).executeTakeFirst()) ?? null;
}

/** Reads an agent and locks its row until the transaction ends, so changes of one agent are serialized. */
export async function lockAgent(db: Db, agentId: number): Promise<AgentRow | null> {
  const row = await db
    .updateTable("agents")
    .set((eb) => ({ paused: eb.ref("paused") }))
    .where("id", "=", agentId)
    .returning(COLUMNS)
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Returns false if nothing changed: the agent already was in that state, or its owner tries to end a moderator's pause.
 */
export async function writePaused(db: Db, agentId: number, paused: boolean, byStaff: boolean): Promise<boolean> {
  let query = db.updateTable("agents").where("id", "=", agentId);
  if (paused) {
    query = byStaff
      ? query.where((row) => row.or([row("paused", "=", 0), row("paused_by_staff", "=", 0)]))
      : query.where("paused", "=", 0);
  } else {
    query = query.where("paused", "=", 1);
    if (!byStaff) query = query.where("paused_by_staff", "=", 0);
  }
  const row = await query
    .set({ paused: paused ? 1 : 0, paused_by_staff: paused && byStaff ? 1 : 0 })
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns false if the agent has that policy already. */
export async function writeDmPolicy(db: Db, agentId: number, policy: DmPolicy): Promise<boolean> {
  const row = await db
    .updateTable("agents")
    .set({ dm_policy: policy })
    .where("id", "=", agentId)
    .where("dm_policy", "!=", policy)
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns false if the agent has that privacy already. */
export async function writeTelegramPrivacy(db: Db, agentId: number, isPrivate: boolean): Promise<boolean> {
  const row = await db
    .updateTable("agents")
    .set({ telegram_privacy: isPrivate ? 1 : 0 })
    .where("id", "=", agentId)
    .where("telegram_privacy", "!=", isPrivate ? 1 : 0)
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}

/** Makes a user the verified owner of an agent. */
export async function writeOwner(db: Db, agentId: number, userId: number): Promise<void> {
  await db.updateTable("agents").set({ owner_user_id: userId, owner_verified: 1 }).where("id", "=", agentId).execute();
}

/** Removes a user's name from an agent, if the agent has it. */
export async function removeOwner(db: Db, agentId: number, userId: number): Promise<boolean> {
  const row = await db
    .updateTable("agents")
    .set({ owner_user_id: null, owner_verified: 0 })
    .where("id", "=", agentId)
    .where("owner_user_id", "=", userId)
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}

/** Adds to the agent's count of mentions that were dropped because too many were pending. */
export async function countDropped(db: Db, agentId: number, count: number): Promise<void> {
  await db
    .updateTable("agents")
    .set((eb) => ({ dropped_mentions: eb("dropped_mentions", "+", count) }))
    .where("id", "=", agentId)
    .execute();
}
