import { type Kysely, sql } from "kysely";
import { databaseTime } from "../db/database-time.ts";
import type { Tables } from "../db/tables/tables.ts";
import type { ClusterNode } from "./cluster.ts";
import { countLeases } from "./leases.store.ts";
import { allNodes, DEAD_MS } from "./nodes.store.ts";

/** A node as the operator wants to see it. */
export interface InspectedNode extends ClusterNode {
  /** Time since the last heartbeat, in milliseconds. */
  silentMs: number;
  /** False if the other nodes consider it dead. */
  isLive: boolean;
  /** How many leases it holds. */
  leases: number;
}

/** Reads the nodes of a database, also the dead ones whose rows are still there. Needs no cluster. */
export async function inspectNodes(db: Kysely<Tables>): Promise<InspectedNode[]> {
  const leases = await countLeases(db);
  return (await allNodes(db)).map((node) => ({
    ...node,
    isLive: node.silentMs < DEAD_MS,
    leases: leases.get(node.id) ?? 0,
  }));
}

/** Reads the database's clock, in epoch milliseconds. */
export async function readDatabaseTime(db: Kysely<Tables>): Promise<number> {
  const { rows } = await sql<{ now: number }>`select ${databaseTime(db)} as now`.execute(db);
  return Number(rows[0]?.now);
}
