import { sql } from "kysely";
import type { Db } from "../db/db.ts";
import { databaseTime } from "../db/dialect.ts";
import { DEAD_MS } from "./nodes.store.ts";

/** How long a lease lasts unless it is renewed (milliseconds). */
export const LEASE_MS = 30_000;

/** Returns the leases that a living node other than `node` holds. */
export async function leasesElsewhere(db: Db, node: string): Promise<string[]> {
  const now = databaseTime(db);
  const rows = await db
    .selectFrom("leases")
    .innerJoin("nodes", "nodes.id", "leases.holder")
    .select("leases.name")
    .where("holder", "<>", node)
    .where("until", ">", now)
    .where("seen_at", ">", (eb) => eb(now, "-", DEAD_MS))
    .execute();
  return rows.map(({ name }) => name);
}

/**
 * Takes those leases that are free, have lapsed, belong to a dead node or to this one. Returns the names of the leases
 * taken. Their fences have increased.
 */
export async function takeLeases(db: Db, node: string, names: readonly string[]): Promise<string[]> {
  const now = databaseTime(db);
  const until = sql<number>`${now} + ${sql.lit(LEASE_MS)}`;
  const rows = await db
    .insertInto("leases")
    // In one order on all nodes, which may take them at once.
    .values(names.toSorted().map((name) => ({ name, holder: node, fence: 1, until })))
    .onConflict((conflict) =>
      conflict
        .column("name")
        .doUpdateSet({ holder: node, until, fence: (eb) => eb("leases.fence", "+", 1) })
        .where((eb) =>
          eb.or([
            eb("leases.until", "<=", now),
            eb("leases.holder", "=", node),
            eb.not(
              eb.exists(
                eb
                  .selectFrom("nodes")
                  .select("id")
                  .whereRef("id", "=", "leases.holder")
                  .where("seen_at", ">", (of) => of(now, "-", DEAD_MS)),
              ),
            ),
          ]),
        ),
    )
    .returning("name")
    .execute();
  return rows.map(({ name }) => name);
}

/** Extends the node's leases. Returns the names of those that it still holds. */
export async function renewLeases(db: Db, node: string): Promise<string[]> {
  const now = databaseTime(db);
  const rows = await db
    .updateTable("leases")
    .set({ until: sql<number>`${now} + ${sql.lit(LEASE_MS)}` })
    .where("holder", "=", node)
    .where("until", ">", now)
    .returning("name")
    .execute();
  return rows.map(({ name }) => name);
}

/** Lets other nodes take the node's leases at once. */
export async function releaseLeases(db: Db, node: string): Promise<void> {
  await db.updateTable("leases").set({ until: 0 }).where("holder", "=", node).execute();
}

/** Counts the leases in force by the id of their holder. */
export async function countLeases(db: Db): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom("leases")
    .select(["holder", (of) => of.fn.countAll().as("count")])
    .where("until", ">", databaseTime(db))
    .groupBy("holder")
    .execute();
  return new Map(rows.map(({ holder, count }) => [holder, Number(count)]));
}
