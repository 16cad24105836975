import { userNamed } from "../accounts/names/user-named.ts";
import type { Db } from "../db/db.ts";

export interface OwnedKeyRow {
  id: string;
  agent_id: number;
  created_at: number;
  last_used_at: number | null;
  revoked_at: number | null;
  scopes: string | null;
  channels: string | null;
  expires_at: number | null;
}

const COLUMNS = [
  "id",
  "agent_id",
  "created_at",
  "last_used_at",
  "revoked_at",
  "scopes",
  "channels",
  "expires_at",
] as const;

/** Returns all keys of these agents, oldest first. */
export function keysOfAgents(db: Db, agentIds: readonly number[]): Promise<OwnedKeyRow[]> {
  return db
    .selectFrom("api_keys")
    .select(COLUMNS)
    .where("agent_id", "in", agentIds)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
}

export async function findKey(db: Db, keyId: string): Promise<OwnedKeyRow | null> {
  const row = await db.selectFrom("api_keys").select(COLUMNS).where("id", "=", keyId).executeTakeFirst();
  return row ?? null;
}

/** Returns the names that are bound to these agents. */
export function namesOfAgents(
  db: Db,
  agentIds: readonly number[],
): Promise<{ agent_id: number | null; name: string }[]> {
  return db
    .selectFrom("names")
    .select(["agent_id", "name"])
    .where("agent_id", "in", agentIds)
    .orderBy("name_key")
    .execute();
}

/** True if any agent that names this user its owner has an accepted key. */
export async function hasLiveKey(
  db: Db,
  username: string,
  now: number,
): Promise<{ username: string; live: boolean } | null> {
  const user = await userNamed(db, username)
    .select((eb) => [
      "users.username",
      eb
        .exists(
          eb
            .selectFrom("agents")
            .innerJoin("api_keys", "api_keys.agent_id", "agents.id")
            .select("api_keys.id")
            .whereRef("agents.owner_user_id", "=", "users.id")
            .where((key) => key.or([key("api_keys.revoked_at", "is", null), key("api_keys.revoked_at", ">", now)])),
        )
        .as("live"),
    ])
    .executeTakeFirst();
  return user === undefined ? null : { username: user.username, live: Boolean(user.live) };
}

/** Returns the agents that name this user their owner, newest first. */
export async function agentIdsOf(
  db: Db,
  userId: number,
  page: { limit: number; verifiedOnly?: boolean },
): Promise<number[]> {
  let query = db.selectFrom("agents").select("id").where("owner_user_id", "=", userId);
  if (page.verifiedOnly === true) query = query.where("owner_verified", "=", 1);
  const rows = await query.orderBy("id", "desc").limit(page.limit).execute();
  return rows.map(({ id }) => id);
}
