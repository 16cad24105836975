import { existsSync } from "node:fs";
import { sql } from "kysely";
import type { Config } from "../config/config.ts";
import { postgresAddress } from "../config/database.ts";
import type { OpenDatabase } from "../db/database.ts";
import { HOLD } from "../db/postgres/schema.ts";
import { tryServerLock } from "../db/server-lock.ts";

/** How long a server on this machine may take to answer. */
const ANSWER_MS = 1_000;

/** True if a server holds the lock of this SQLite file. */
export function isServerRunning(path: string): boolean {
  if (!existsSync(`${path}.lock`)) return false;
  const lock = tryServerLock(path);
  lock?.[Symbol.dispose]();
  return lock === null;
}

/**
 * Returns what the user of a command that writes must know: into which database it writes, and whether a server uses
 * it. A key for a database without a server works nowhere, and the command alone would not show that.
 */
export async function describeDatabase(config: Config, database: OpenDatabase): Promise<string> {
  const place = `Database: ${placeOf(config)}`;
  if (await isInUse(config, database)) return place;
  const other = await serverAt(config);
  if (other === null) return `${place}\nNo server is running on this database.`;
  return `${place}\nWarning: no server is running on this database, and the server at ${other} uses another one. To change that server's data, run this command with its PARLEY_DATA_DIR or DATABASE_URL.`;
}

function placeOf({ database }: Config): string {
  if (database.kind === "sqlite") return `SQLite file ${database.path}`;
  const address = postgresAddress(database.url);
  return `PostgreSQL at ${address.host}:${address.port}/${address.database ?? ""}`;
}

/** True if a server uses this database. */
export async function isInUse(config: Config, { db }: OpenDatabase): Promise<boolean> {
  if (config.database.kind === "sqlite") return isServerRunning(config.database.path);
  const { rows } = await sql`
    select 1 from pg_locks where relation = to_regclass(${HOLD})
    and mode in ('ExclusiveLock', 'ShareLock') and granted limit 1`.execute(db);
  return rows.length > 0;
}

/** Returns the address by which people reach the server: its public URL, or if unset the one on this machine. */
export const addressOf = (config: Config): string => config.publicUrl ?? localAddress(config);

function localAddress({ host, port }: Pick<Config, "host" | "port">): string {
  const reachable = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
}

/** Returns the address of the Parley server on the configured port; null if none answers there. */
async function serverAt({ host, port }: Config): Promise<string | null> {
  if (port === 0) return null;
  const address = localAddress({ host, port });
  const answer = await fetch(`${address}/livez`, {
    redirect: "manual",
    signal: AbortSignal.timeout(ANSWER_MS),
  }).catch(() => null);
  return answer?.headers.has("x-api-version") === true ? address : null;
}
