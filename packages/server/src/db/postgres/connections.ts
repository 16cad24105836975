import { sql } from "kysely";
import type { Db } from "../db.ts";

/** The connections of a PostgreSQL server. */
export interface Connections {
  /** How many this role may have, all clients together: `max_connections` less the reserved ones. */
  limit: number;
  /** How many are open now, in all databases. */
  open: number;
}

/** Reads how many connections PostgreSQL allows. For PostgreSQL only. */
export async function readConnections(db: Db): Promise<Connections> {
  const { rows } = await sql<{ most: number; reserved: number; open: number }>`
    select (select setting::bigint from pg_settings where name = 'max_connections') as most,
      (select coalesce(sum(setting::bigint), 0) from pg_settings
        where name in ('superuser_reserved_connections', 'reserved_connections')) as reserved,
      (select count(*) from pg_stat_activity where backend_type = 'client backend') as open`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error("pg_settings has no max_connections.");
  return { limit: Number(row.most) - Number(row.reserved), open: Number(row.open) };
}

/**
 * Returns what to do if the servers could use more connections than PostgreSQL allows; null if they fit. Each server
 * has a pool and one more connection, which holds its lock.
 */
export function connectionProblem(servers: number, poolSize: number, { limit }: Connections): string | null {
  const needed = servers * (poolSize + 1);
  if (needed <= limit) return null;
  const each = Math.max(1, Math.floor(limit / servers) - 1);
  return `${servers} servers with PARLEY_POSTGRES_POOL=${poolSize} can open ${needed} connections, and PostgreSQL allows ${limit}; raise max_connections or set PARLEY_POSTGRES_POOL to ${each}`;
}
