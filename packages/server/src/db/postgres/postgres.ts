import { Kysely, PostgresDialect } from "kysely";
import type { ClientBase } from "pg";
import type { Clock } from "../../clock.ts";
import { type PostgresAddress, postgresAddress } from "../../config/database.ts";
import type { Log } from "../../logging/log.ts";
import type { Db } from "../db.ts";
import { guardedDialect } from "../guarded-dialect.ts";
import { migrate } from "../migrate.ts";
import { MIGRATIONS } from "../migrations/migrations.ts";
import { StartupError } from "../startup-error.ts";
import { keptName } from "../statements/prepared.ts";
import type { Tables } from "../tables/tables.ts";
import { DeadConnections } from "./dead-connections.ts";
import { holdPostgres } from "./hold.ts";
import { buildIndexes } from "./later-indexes.ts";
import type { Setting } from "./options.ts";
import { assertSessions } from "./pooler.ts";
import { inSchemaSession, prepareSchema, SCHEMA } from "./schema.ts";
import { sessionClass } from "./session.ts";

export interface PostgresOptions {
  /** Connections; default 10. A node of a cluster has one of them for its heartbeat. */
  poolSize?: number;
  /**
   * How long a query waits for a connection, and a connection for the server; default 5 s. For tests, which would fail
   * with it on a slow disk.
   */
  waitMs?: number;
  /** Overrides the schema in the URL: each test suite has its own. */
  schema?: string;
  log?: Pick<Log, "info" | "warn">;
  /** If given, no lone server but this one may use the database; called if one does. */
  onLost?: (error: unknown) => void;
  /** True for a node of a cluster, whose other nodes may use the database. */
  isShared?: boolean;
}

const INT8 = 20;
const BYTEA = 17;
/** The error of PostgreSQL when the server, the database or the role has no connection left. */
export const TOO_MANY_CONNECTIONS = "53300";
const POOL_SIZE = 10;
const WAIT_MS = 5_000;
/** A node that hangs inside a transaction must not lock a channel's row for ever. */
const IDLE_LIMIT: Setting = ["idle_in_transaction_session_timeout", "30000"];
const STATEMENT_MS = 10_000;
/** How much later than a statement's end its answer may come. */
const ANSWER_MS = 5_000;
/** A statement of the heartbeat that takes longer must not delay the next reading of the control log. */
const VITAL_STATEMENT_MS = 2_000;

/**
 * Opens a pool and migrates the schema to this build. Several nodes may do so at once unless one of them needs
 * exclusive use.
 */
export async function openPostgres(url: string, clock: Clock, options: PostgresOptions = {}) {
  // Loaded only here, so that a server on SQLite does not carry it in memory.
  const { default: pg } = await import("pg");
  const address = postgresAddress(url);
  const schema = options.schema ?? address.schema ?? SCHEMA;
  const waitMs = options.waitMs ?? WAIT_MS;
  const sessions = (settings: readonly Setting[], path: string | null = schema) =>
    sessionClass(pg.Client, { address, schema: path, waitMs, settings });
  const [Session, Looking] = [sessions([]), sessions([], null)];
  const types = {
    getTypeParser: (oid: number, format?: "text" | "binary") => parserOf(oid) ?? pg.types.getTypeParser(oid, format),
  };
  const watched: DeadConnections[] = [];
  const open = (max: number, statementMs: number, more: readonly Setting[] = []): Db => {
    const limits: Setting[] = [["statement_timeout", String(statementMs)], IDLE_LIMIT];
    const pool = new pg.Pool({ max, types, connectionTimeoutMillis: waitMs, Client: sessions([...limits, ...more]) });
    // A connection that breaks reports it to the query that used it; without listeners the event would end the process.
    pool.on("error", () => {});
    pool.on("connect", (client) => {
      client.on("error", () => {});
      prepareKept(client);
    });
    watched.push(new DeadConnections(pool, statementMs + ANSWER_MS));
    return new Kysely<Tables>({ dialect: guardedDialect(new PostgresDialect({ pool }), { single: false }) });
  };
  const { onLost, isShared = false, poolSize = POOL_SIZE } = options;
  const db = open(isShared ? Math.max(1, poolSize - 1) : poolSize, STATEMENT_MS);
  // Its few rows are rewritten every 2 s, so they need not wait for the disk or a standby.
  const vital = isShared ? open(1, VITAL_STATEMENT_MS, [["synchronous_commit", "off"]]) : undefined;
  const destroy = async (): Promise<void> => {
    for (const connections of watched) connections[Symbol.dispose]();
    await Promise.all([db.destroy(), vital?.destroy()]);
  };
  let release = async (): Promise<void> => {};
  try {
    const isPooled = await inSchemaSession(
      () => new Looking(),
      async (session) => {
        await prepareSchema(session, schema);
        return session.isPooled;
      },
    );
    if (isPooled && onLost !== undefined) await assertSessions(() => new Session(), poolSize + 1);
    // Take the lock first: a newer version must not change the schema under a running server.
    if (onLost !== undefined)
      release = await holdPostgres({
        open: () => new Session(),
        name: nameOf(address),
        ...{ isShared, clock, onLost },
      });
    const { log } = options;
    await migrate(db, "postgres", MIGRATIONS, clock, { ...(log && { log }), laterIndexes: true });
    await buildIndexes({ db, migrations: MIGRATIONS, open: () => new Session(), clock, ...(log && { log }) });
    // From here on, but for tools: a migration's statement takes as long as it needs.
    if (onLost !== undefined) for (const connections of watched) connections.start();
  } catch (error) {
    await release();
    await destroy();
    if (error instanceof StartupError) throw error;
    throw unreachable(address, error);
  }
  let closed: Promise<void> | undefined;
  return {
    db,
    vital,
    close: () => {
      closed ??= destroy().finally(release);
      return closed;
    },
  };
}

/** Gives the kept statements their names, which Kysely cannot: the driver then prepares each once per session. */
function prepareKept(client: ClientBase): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
  const named = (text: unknown, values: unknown, ...rest: unknown[]): unknown => {
    const name = typeof text === "string" ? keptName(text) : undefined;
    return name === undefined ? query(text, values, ...rest) : query({ name, text, values }, ...rest);
  };
  client.query = named as typeof client.query;
}

/** Numbers stay below 2^53 by convention (tables.ts); bytes are plain `Uint8Array`, as on SQLite. */
export function parserOf(oid: number): ((text: string) => unknown) | undefined {
  if (oid === INT8) return Number;
  if (oid === BYTEA) return (text) => Uint8Array.from(Buffer.from(text.slice(2), "hex"));
  return undefined;
}

/** Names the host, never the password. */
function nameOf({ host, port, database }: PostgresAddress): string {
  const name = host.includes(":") ? `[${host}]` : host;
  return `${name}:${port}/${database ?? ""}`;
}

function unreachable(address: PostgresAddress, error: unknown): StartupError {
  const reason = error instanceof Error ? error.message || String(Object(error).code) : String(error);
  if (Object(error).code === TOO_MANY_CONNECTIONS) {
    return new StartupError(
      `PostgreSQL at ${nameOf(address)} has no connection left (${reason}). Raise max_connections, or lower PARLEY_POSTGRES_POOL: each server uses that many connections and one more.`,
      error,
    );
  }
  return new StartupError(
    `PostgreSQL at ${nameOf(address)} cannot be used: ${reason}. Check DATABASE_URL, that the server is running, and that the database exists.`,
    error,
  );
}
