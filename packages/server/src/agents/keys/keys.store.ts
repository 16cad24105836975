import type { Db } from "../../db/db.ts";
import { holdRows } from "../../db/dialect.ts";
import type { KeyTerms } from "./key-terms.ts";

/** The columns that the check of a key needs. */
export interface KeyRow {
  id: string;
  agent_id: number;
  secret_hash: string;
  revoked_at: number | null;
  scopes: string | null;
  channels: string | null;
  expires_at: number | null;
  paused: number;
  /** The verified owner; null when there is none. */
  owner_id: number | null;
  owner_suspended_until: number | null;
}

/** Holds a key and its agent until the transaction ends: nobody revokes, pauses or deletes them meanwhile. */
export async function holdKey(db: Db, keyId: string, agentId: number): Promise<void> {
  await holdRows(db, db.selectFrom("agents").select("id").where("id", "=", agentId)).execute();
  await holdRows(db, db.selectFrom("api_keys").select("id").where("id", "=", keyId)).execute();
}

export function findKey(db: Db, keyId: string): Promise<KeyRow | undefined> {
  return db
    .selectFrom("api_keys")
    .innerJoin("agents", "agents.id", "api_keys.agent_id")
    .leftJoin("users as owner", (join) =>
      join.onRef("owner.id", "=", "agents.owner_user_id").on("agents.owner_verified", "=", 1),
    )
    .select(["api_keys.id", "api_keys.agent_id", "api_keys.secret_hash", "api_keys.revoked_at", "agents.paused"])
    .select(["api_keys.scopes", "api_keys.channels", "api_keys.expires_at"])
    .select(["owner.id as owner_id", "owner.suspended_until as owner_suspended_until"])
    .where("api_keys.id", "=", keyId)
    .executeTakeFirst();
}

export async function insertAgent(
  db: Db,
  ownerUserId: number | null,
  ownerVerified: boolean,
  now: number,
): Promise<number> {
  const row = await db
    .insertInto("agents")
    .values({
      owner_user_id: ownerUserId,
      owner_verified: ownerVerified ? 1 : 0,
      paused: 0,
      last_seen_at: null,
      dropped_mentions: 0,
      created_at: now,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return row.id;
}

/** A key to be stored. */
type NewKeyRow = KeyTerms & { id: string; agent_id: number; secret_hash: string; created_at: number };

export async function insertKey(db: Db, row: NewKeyRow): Promise<void> {
  const { scopes, channels, expires_at, ...key } = row;
  await db
    .insertInto("api_keys")
    // The end is stored twice: what asks whether a key has ended reads `revoked_at` only.
    .values({ ...key, scopes, channels, expires_at, last_used_at: null, revoked_at: expires_at })
    .execute();
}

export async function userIdOf(db: Db, username: string): Promise<number | undefined> {
  const row = await db
    .selectFrom("users")
    .select("id")
    .where("username_key", "=", username.toLowerCase())
    .where("erased_at", "is", null)
    .executeTakeFirst();
  return row?.id;
}

/** Ends the key now. Returns false if there is no such key or it has already ended. */
export async function endKey(db: Db, keyId: string, now: number): Promise<boolean> {
  const row = await db
    .updateTable("api_keys")
    .set({ revoked_at: now })
    .where("id", "=", keyId)
    .where((eb) => eb.or([eb("revoked_at", "is", null), eb("revoked_at", ">", now)]))
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Sets the end of all keys of the agent but one, or of `only` one of them, unless they end earlier. Returns the ids of
 * those that changed.
 */
export async function endOtherKeys(
  db: Db,
  agentId: number,
  { except, only }: { except: string; only?: string | undefined },
  end: number,
): Promise<string[]> {
  const rows = await db
    .updateTable("api_keys")
    .set({ revoked_at: end })
    .where("agent_id", "=", agentId)
    .where("id", "!=", except)
    .$if(only !== undefined, (all) => all.where("id", "=", only ?? ""))
    .where((eb) => eb.or([eb("revoked_at", "is", null), eb("revoked_at", ">", end)]))
    .returning("id")
    .execute();
  return rows.map(({ id }) => id);
}

export async function keyExists(db: Db, keyId: string): Promise<boolean> {
  return (await db.selectFrom("api_keys").select("id").where("id", "=", keyId).executeTakeFirst()) !== undefined;
}

/** True if the agent has or had a key. */
export async function agentHasKeys(db: Db, agentId: number): Promise<boolean> {
  const query = db.selectFrom("api_keys").select("id").where("agent_id", "=", agentId).limit(1);
  return (await query.executeTakeFirst()) !== undefined;
}

/** True if the agent has a key that is still accepted. */
export async function hasLiveKey(db: Db, agentId: number, now: number): Promise<boolean> {
  const row = await db
    .selectFrom("api_keys")
    .select("id")
    .where("agent_id", "=", agentId)
    .where((eb) => eb.or([eb("revoked_at", "is", null), eb("revoked_at", ">", now)]))
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns all keys with their agents, oldest first. */
export function allKeys(db: Db) {
  return db
    .selectFrom("api_keys")
    .innerJoin("agents", "agents.id", "api_keys.agent_id")
    .leftJoin("users", "users.id", "agents.owner_user_id")
    .select([
      "api_keys.id",
      "api_keys.agent_id",
      "api_keys.created_at",
      "api_keys.last_used_at",
      "api_keys.revoked_at",
      "api_keys.scopes",
      "api_keys.channels",
      "api_keys.expires_at",
      "agents.paused",
      "users.username",
    ])
    .orderBy("api_keys.created_at")
    .orderBy("api_keys.id")
    .execute();
}

/** Returns every name that is bound to an agent. */
export function allAgentNames(db: Db): Promise<{ agent_id: number | null; name: string }[]> {
  return db.selectFrom("names").select(["agent_id", "name"]).where("kind", "=", "agent").orderBy("name_key").execute();
}

export async function writeLastUse(
  db: Db,
  keyIds: readonly string[],
  agentIds: readonly number[],
  at: number,
): Promise<void> {
  // Another node may have stored a later time.
  if (keyIds.length > 0)
    await db
      .updateTable("api_keys")
      .set({ last_used_at: at })
      .where("id", "in", keyIds)
      .where((key) => key.or([key("last_used_at", "is", null), key("last_used_at", "<", at)]))
      .execute();
  if (agentIds.length > 0)
    await db
      .updateTable("agents")
      .set({ last_seen_at: at })
      .where("id", "in", agentIds)
      .where((agent) => agent.or([agent("last_seen_at", "is", null), agent("last_seen_at", "<", at)]))
      .execute();
}

/** Returns the slugs of those of these channels that exist, by id. */
export async function slugsOfChannels(db: Db, ids: readonly number[]): Promise<Map<number, string>> {
  const rows = await db
    .selectFrom("channels")
    .select(["id", "slug"])
    .where("id", "in", ids)
    .where("deleted_at", "is", null)
    .orderBy("slug")
    .execute();
  return new Map(rows.map(({ id, slug }) => [id, slug]));
}
