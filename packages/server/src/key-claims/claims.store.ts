import { userNamed } from "../accounts/names/user-named.ts";
import type { Db } from "../db/db.ts";

/** A user as a claim sees them. A user without a password was created by a claim: nobody can log in as them. */
export interface Claimant {
  id: number;
  username: string;
  anonymous: boolean;
}

export async function findClaimant(db: Db, by: { name: string } | { id: number }): Promise<Claimant | null> {
  const users = "id" in by ? db.selectFrom("users").where("id", "=", by.id) : userNamed(db, by.name);
  const row = await users.select(["id", "username", "password_hash"]).executeTakeFirst();
  return row === undefined ? null : { id: row.id, username: row.username, anonymous: row.password_hash === null };
}

export interface Account {
  provider: string;
  account_id: string;
  handle: string;
}

/** Records that the account has claimed; returns false if it already had. */
export async function insertClaim(db: Db, account: Account, agentId: number, now: number): Promise<boolean> {
  const row = await db
    .insertInto("social_claims")
    .values({ ...account, agent_id: agentId, claimed_at: now, recovered_at: null })
    .onConflict((conflict) => conflict.columns(["provider", "account_id"]).doNothing())
    .returning("agent_id")
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns the agent whose key the account has claimed; null if it has claimed none. */
export async function agentOfAccount(db: Db, { provider, account_id }: Account): Promise<number | null> {
  const row = await db
    .selectFrom("social_claims")
    .select("agent_id")
    .where("provider", "=", provider)
    .where("account_id", "=", account_id)
    .executeTakeFirst();
  return row?.agent_id ?? null;
}

/** Records that the account proved itself again, perhaps under another handle. */
export async function noteRecovery(db: Db, account: Account, now: number): Promise<void> {
  await db
    .updateTable("social_claims")
    .set({ handle: account.handle, recovered_at: now })
    .where("provider", "=", account.provider)
    .where("account_id", "=", account.account_id)
    .execute();
}

/** An agent with the name that the sentence uses; null if it has none. */
export interface NamedAgent {
  agent_id: number;
  agent_name: string | null;
}

/** Returns the agent that a name is bound to. The shared name is bound to none. */
export async function findAgentByName(db: Db, key: string): Promise<NamedAgent | null> {
  const row = await db
    .selectFrom("names")
    .select(["agent_id", "name as agent_name"])
    .where("name_key", "=", key)
    .executeTakeFirst();
  return row === undefined || row.agent_id === null ? null : { ...row, agent_id: row.agent_id };
}

/** Returns the agent with that id and the first of its names. */
export async function findAgentById(db: Db, agentId: number): Promise<NamedAgent | null> {
  const row = await db
    .selectFrom("agents")
    .leftJoin("names", "names.agent_id", "agents.id")
    .select(["agents.id as agent_id", "names.name as agent_name"])
    .where("agents.id", "=", agentId)
    .orderBy("names.name_key")
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}
