import { Kysely, PostgresDialect } from "kysely";
import type { Clock } from "../clock.ts";
import { guardedDialect } from "./guarded-dialect.ts";
import { migrate } from "./migrate.ts";
import { MIGRATIONS } from "./migrations/migrations.ts";
import { StartupError } from "./startup-error.ts";
import type { Tables } from "./tables.ts";

export interface PostgresOptions {
  poolSize?: number;
  /** `search_path`: tests give each suite a schema of its own. */
  schema?: string;
}

const INT8 = 20;
const BYTEA = 17;

/** Opens a pool and brings the schema up to this build. Several nodes may do so at once. */
export async function openPostgres(url: string, clock: Clock, options: PostgresOptions = {}) {
  // Loaded only here, so that a server on SQLite does not carry it in memory.
  const { default: pg } = await import("pg");
  const pool = new pg.Pool({
    connectionString: url,
    max: options.poolSize ?? 10,
    connectionTimeoutMillis: 5_000,
    statement_timeout: 10_000,
    // A node that hangs in the middle of a transaction must not hold a channel's row for ever.
    idle_in_transaction_session_timeout: 30_000,
    keepAlive: true,
    application_name: "parley",
    types: {
      getTypeParser: (oid: number, format?: "text" | "binary") => parserOf(oid) ?? pg.types.getTypeParser(oid, format),
    },
    ...(options.schema === undefined ? {} : { options: `-c search_path=${options.schema}` }),
  });
  // A connection that breaks reports it to the query that used it; without listeners the event would end the process.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));

  const db = new Kysely<Tables>({ dialect: guardedDialect(new PostgresDialect({ pool }), { single: false }) });
  try {
    await migrate(db, "postgres", MIGRATIONS, clock);
  } catch (error) {
    await db.destroy();
    if (error instanceof StartupError) throw error;
    throw unreachable(url, error);
  }
  let closed: Promise<void> | undefined;
  return {
    db,
    close: () => {
      closed ??= db.destroy();
      return closed;
    },
  };
}

/** Numbers stay below 2^53 by convention (tables.ts); bytes come as plain `Uint8Array`, as from SQLite. */
export function parserOf(oid: number): ((text: string) => unknown) | undefined {
  if (oid === INT8) return Number;
  if (oid === BYTEA) return (text) => Uint8Array.from(Buffer.from(text.slice(2), "hex"));
  return undefined;
}

/** Names the host, never the password. */
function unreachable(url: string, error: unknown): StartupError {
  const { host, pathname } = new URL(url);
  const reason = error instanceof Error ? error.message || String(Object(error).code) : String(error);
  return new StartupError(
    `PostgreSQL at ${host}${pathname} cannot be used: ${reason}. Check DATABASE_URL, that the server runs, and that the database exists.`,
    error,
  );
}
