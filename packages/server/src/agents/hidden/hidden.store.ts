import type { Db } from "../../db/db.ts";

export async function pauseAgent(db: Db, id: number): Promise<void> {
  await db.updateTable("agents").set({ paused: 1 }).where("id", "=", id).execute();
}

export async function deleteAgents(db: Db, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) await db.deleteFrom("agents").where("id", "in", ids).execute();
}
