import { sql } from "kysely";
import type { Db } from "../db/db.ts";
import { databaseTime } from "../db/dialect.ts";
import { countLeases } from "./leases.store.ts";
import { allNodes, DEAD_MS, type StoredNode } from "./nodes.store.ts";

/** A node as the operator wants to see it. */
export interface InspectedNode extends StoredNode {
  /** False if the other nodes consider it dead. */
  isLive: boolean;
  /** How many leases it holds. */
  leases: number;
}

/**
 * Reads the nodes of a database, also the dead ones whose rows are still there. A node that joined again appears once.
 * Needs no cluster.
 */
export async function inspectNodes(db: Db): Promise<InspectedNode[]> {
  const leases = await countLeases(db);
  const stored = await allNodes(db);
  const former = new Set(stored.map(({ formerId }) => formerId));
  const present = stored.filter(({ id }) => !former.has(id));
  return present.map((node) => ({
    ...node,
    isLive: node.silentMs < DEAD_MS,
    leases: leases.get(node.id) ?? 0,
  }));
}

/** Reads the database's clock, in epoch milliseconds. */
export async function readDatabaseTime(db: Db): Promise<number> {
  const { rows } = await sql<{ now: number }>`select ${databaseTime(db)} as now`.execute(db);
  return Number(rows[0]?.now);
}
