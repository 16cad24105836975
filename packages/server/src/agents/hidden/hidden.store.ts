import type { Db } from "../../db/db.ts";

/** Pauses an agent that has no key yet: it ends no session, and announces nothing. */
export async function pauseAgent(db: Db, id: number): Promise<void> {
  await db.updateTable("agents").set({ paused: 1 }).where("id", "=", id).execute();
}

/** Deletes agents. Whatever refers to them must be deleted before. */
export async function deleteAgents(db: Db, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) await db.deleteFrom("agents").where("id", "in", ids).execute();
}
