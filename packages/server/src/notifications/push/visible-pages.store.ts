import type { Db } from "../../db/db.ts";

/** Returns those of the users who have a visible page on one of the nodes. */
export async function visibleOn(db: Db, userIds: readonly number[], nodeIds: readonly string[]): Promise<number[]> {
  if (userIds.length === 0 || nodeIds.length === 0) return [];
  const rows = await db
    .selectFrom("visible_pages")
    .select("user_id")
    .where("user_id", "in", userIds)
    .where("node_id", "in", nodeIds)
    .execute();
  return rows.map(({ user_id }) => user_id);
}

export async function insertVisible(db: Db, node_id: string, userIds: readonly number[]): Promise<void> {
  if (userIds.length === 0) return;
  await db
    .insertInto("visible_pages")
    .values(userIds.map((user_id) => ({ user_id, node_id })))
    .onConflict((conflict) => conflict.columns(["user_id", "node_id"]).doNothing())
    .execute();
}

export async function deleteVisible(db: Db, nodeId: string, userIds: readonly number[]): Promise<void> {
  if (userIds.length === 0) return;
  await db.deleteFrom("visible_pages").where("node_id", "=", nodeId).where("user_id", "in", userIds).execute();
}

export async function deleteOfNode(db: Db, nodeId: string): Promise<void> {
  await db.deleteFrom("visible_pages").where("node_id", "=", nodeId).execute();
}

export async function deleteOfEndedNodes(db: Db): Promise<void> {
  await db
    .deleteFrom("visible_pages")
    .where("node_id", "not in", (eb) => eb.selectFrom("nodes").select("nodes.id"))
    .execute();
}
