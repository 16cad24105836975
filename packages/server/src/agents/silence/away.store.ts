import type { Db } from "../../db/db.ts";

/** Agents that one statement marks; the rest follow with the next pass. */
const MARKED = 1_000;

export async function writeHeld(db: Db, agentIds: readonly number[], at: number): Promise<void> {
  await db
    .updateTable("agents")
    .set({ held_at: at })
    .where("id", "in", agentIds)
    // Another node may have stored a later time.
    .where((agent) => agent.or([agent("held_at", "is", null), agent("held_at", "<", at)]))
    .execute();
}

/** Marks agents as away that have neither held a connection nor called since `before`. Returns them. */
export async function markAway(db: Db, before: number): Promise<number[]> {
  const rows = await db
    .updateTable("agents")
    .set((eb) => ({
      away_at: eb
        .case()
        .when("last_seen_at", ">", eb.ref("held_at"))
        .then(eb.ref("last_seen_at"))
        .else(eb.ref("held_at"))
        .end(),
      held_at: null,
    }))
    .where("id", "in", (eb) =>
      eb
        .selectFrom("agents")
        .select("id")
        .where("held_at", "<=", before)
        .where((agent) => agent.or([agent("last_seen_at", "is", null), agent("last_seen_at", "<=", before)]))
        .limit(MARKED),
    )
    .returning("id")
    .execute();
  return rows.map(({ id }) => id);
}

/** Ends the absence of agents that hold a connection or have called since it began. Returns them. */
export async function markBack(db: Db): Promise<number[]> {
  const rows = await db
    .updateTable("agents")
    .set({ away_at: null })
    .where("away_at", "is not", null)
    .where((agent) =>
      agent.or([
        agent("held_at", ">", agent.ref("away_at")),
        // Both are stored to the second, and the call that ended as its connection did is no later one.
        agent("last_seen_at", ">", agent.ref("away_at")),
      ]),
    )
    .returning("id")
    .execute();
  return rows.map(({ id }) => id);
}

/** Ends the absence of one agent. Returns whether it was away. */
export async function markOneBack(db: Db, agentId: number): Promise<boolean> {
  const row = await db
    .updateTable("agents")
    .set({ away_at: null })
    .where("id", "=", agentId)
    .where("away_at", "is not", null)
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}
