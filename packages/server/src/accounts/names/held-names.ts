import type { Db } from "../../db/db.ts";
import { claimName, nameKey } from "./names.ts";

/**
 * A name that is held has a row, like every name that is taken, but no holder: nobody can claim it, and it mentions
 * nobody. Its holder binds it to an agent or frees it.
 */

/** Holds a name for an agent that does not exist yet. Returns false if the name or a look-alike is taken. */
export const holdName = (db: Db, name: string): Promise<boolean> =>
  claimName(db, name, { kind: "agent", agentId: null });

/** Locks a name until the transaction ends. Returns its agent, null for a held name, undefined if nobody has it. */
export async function lockAgentName(db: Db, key: string): Promise<number | null | undefined> {
  const row = await db
    .updateTable("names")
    .set((eb) => ({ name: eb.ref("name") }))
    .where("name_key", "=", key)
    .where("kind", "=", "agent")
    .returning("agent_id")
    .executeTakeFirst();
  return row?.agent_id;
}

/** Binds a held name to the agent that it was held for. */
export async function bindHeldName(db: Db, name: string, agentId: number): Promise<void> {
  await db
    .updateTable("names")
    .set({ agent_id: agentId })
    .where("name_key", "=", nameKey(name))
    .where("kind", "=", "agent")
    .where("agent_id", "is", null)
    .execute();
}

/** Frees those of these names, by their keys, that are held. */
export async function freeHeldNames(db: Db, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  await db
    .deleteFrom("names")
    .where("name_key", "in", keys)
    .where("kind", "=", "agent")
    .where("agent_id", "is", null)
    .execute();
}

/** Takes the names of an agent, and holds them. */
export async function holdAgain(db: Db, agentId: number): Promise<void> {
  await db.updateTable("names").set({ agent_id: null }).where("agent_id", "=", agentId).execute();
}
