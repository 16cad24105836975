import type { Db } from "../db/db.ts";
import { databaseTime } from "../db/dialect.ts";
import type { ClusterNode } from "./cluster.ts";

/** The age of its row at which the others consider a node dead (milliseconds). */
export const DEAD_MS = 15_000;
/** How long the row of a dead node is kept, so that every node has read that it is gone. */
const KEPT_MS = 60_000;
/** Rows removed at once. */
const REMOVED_MAX = 100;

const COLUMNS = ["id", "name", "version", "schema_number as schema", "shards", "state"] as const;

/**
 * Adds the node's row; `formerId` is its id before it was declared dead. Returns the database's time, in epoch
 * milliseconds.
 */
export async function insertNode(
  db: Db,
  { schema, ...node }: ClusterNode,
  formerId: string | null = null,
): Promise<number> {
  const { seen_at } = await db
    .insertInto("nodes")
    .values({ ...node, schema_number: schema, seen_at: databaseTime(db), former_id: formerId })
    .returning("seen_at")
    .executeTakeFirstOrThrow();
  return Number(seen_at);
}

/**
 * Keeps the node alive, and stores why it doubts the bus. Returns the database's time; null if the node is dead: its row
 * is gone or too old.
 */
export async function touchNode(
  db: Db,
  { id, state }: Pick<ClusterNode, "id" | "state">,
  doubt: string | null,
): Promise<number | null> {
  const now = databaseTime(db);
  const row = await db
    .updateTable("nodes")
    .set({ seen_at: now, state, doubt })
    .where("id", "=", id)
    .where("seen_at", ">", (eb) => eb(now, "-", DEAD_MS))
    .returning("seen_at")
    .executeTakeFirst();
  return row === undefined ? null : Number(row.seen_at);
}

export async function liveNodes(db: Db): Promise<ClusterNode[]> {
  return db
    .selectFrom("nodes")
    .select(COLUMNS)
    .where("seen_at", ">", (eb) => eb(databaseTime(db), "-", DEAD_MS))
    .orderBy("id")
    .execute();
}

/** Removes the rows of nodes that have been dead for a minute, and returns them. */
export async function removeDead(db: Db): Promise<ClusterNode[]> {
  const dead = db
    .selectFrom("nodes")
    .select("id")
    .where("seen_at", "<=", (eb) => eb(databaseTime(db), "-", DEAD_MS + KEPT_MS))
    .orderBy("id")
    .limit(REMOVED_MAX);
  return db.deleteFrom("nodes").where("id", "in", dead).returning(COLUMNS).execute();
}

export async function removeNode(db: Db, id: string): Promise<void> {
  await db.deleteFrom("nodes").where("id", "=", id).execute();
}

/** A row, also that of a dead node. */
export interface StoredNode extends ClusterNode {
  /** Time since the last heartbeat, in milliseconds. */
  silentMs: number;
  /** Why the node doubts the bus; null: it does not. */
  doubt: string | null;
  /** The node's id before it was declared dead; null: it was not. */
  formerId: string | null;
}

/** Returns all rows. */
export async function allNodes(db: Db): Promise<StoredNode[]> {
  const rows = await db
    .selectFrom("nodes")
    .select([
      ...COLUMNS,
      "doubt",
      "former_id as formerId",
      (eb) => eb(databaseTime(db), "-", eb.ref("seen_at")).as("silent"),
    ])
    .orderBy("name")
    .orderBy("id")
    .execute();
  return rows.map(({ silent, ...node }) => ({ ...node, silentMs: Number(silent) }));
}
