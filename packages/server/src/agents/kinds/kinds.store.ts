import type { Selectable } from "kysely";
import type { Db } from "../../db/db.ts";
import type { InboxKindsTable } from "../../db/tables/agents.ts";

export type KindsRow = Selectable<InboxKindsTable>;

/** The two that may ask under a name: the agent itself, and its bot in the Telegram door. */
export type AskedBy = "kinds" | "telegram_kinds";

/** Returns what all agents asked for, or one. */
export function readKinds(db: Db, agentId?: number): Promise<KindsRow[]> {
  const all = db.selectFrom("inbox_kinds").selectAll().orderBy("name_key");
  return (agentId === undefined ? all : all.where("agent_id", "=", agentId)).execute();
}

/** True if a name has ever asked. */
export async function hasAsked(db: Db): Promise<boolean> {
  return (await db.selectFrom("inbox_kinds").select("agent_id").limit(1).executeTakeFirst()) !== undefined;
}

export async function storeKinds(
  db: Db,
  row: Pick<KindsRow, "name_key" | "agent_id" | "agent_name">,
  by: AskedBy,
  kinds: string,
): Promise<void> {
  await db
    .insertInto("inbox_kinds")
    .values({ ...row, [by]: kinds })
    .onConflict((conflict) => conflict.column("name_key").doUpdateSet({ [by]: kinds }))
    .execute();
}

/** Deletes what agents asked for whose verified owner this user is. */
export async function deleteKindsOfOwner(db: Db, userId: number): Promise<void> {
  await db
    .deleteFrom("inbox_kinds")
    .where("agent_id", "in", (eb) =>
      eb.selectFrom("agents").select("agents.id").where("owner_user_id", "=", userId).where("owner_verified", "=", 1),
    )
    .execute();
}

/** Deletes what an agent asked for. */
export async function deleteKindsOf(db: Db, agentId: number): Promise<void> {
  await db.deleteFrom("inbox_kinds").where("agent_id", "=", agentId).execute();
}
