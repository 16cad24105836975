import type { Client, QueryConfig } from "pg";
import { StartupError } from "../startup-error.ts";

/** The driver keeps the number of the session that it was given at the login; its types do not say so. */
type Session = Client & { processID?: number | null };

/** A pooler without a free session keeps a client waiting for minutes. */
const WAIT_MS = 5_000;
const PID = "select pg_catalog.pg_backend_pid() as pid";

/**
 * Connects a session and assures that nobody else uses it; `open` makes another one like it. A connection pooler in
 * transaction or statement mode lends the same session to several clients: the server's lock, the `search_path` and
 * prepared statements would be those of others. Returns true if a pooler is there and keeps a session for each client.
 * @throws a `StartupError` that names the pooler and what to do; the driver's error if PostgreSQL cannot be reached
 */
export async function assertOwnSession(session: Client, open: () => Client): Promise<boolean> {
  try {
    await session.connect();
  } catch (error) {
    throw advised(session, error);
  }
  const pid = await pidOf(session);
  const problem = await sharingProblem(session, open(), pid);
  if (problem !== null) throw sharing(session, problem);
  // A pooler gives its clients numbers of its own, with which they may cancel queries.
  return pid !== (session as Session).processID;
}

/**
 * Assures that a pooler has this many sessions for Parley. Without them requests would wait for each other for as long
 * as the server is busy, and nobody would know why.
 * @throws a `StartupError` that says how many are missing
 */
export async function assertSessions(open: () => Client, wanted: number): Promise<void> {
  const sessions = Array.from({ length: wanted }, open);
  for (const session of sessions) session.on("error", () => {});
  try {
    const opened = await Promise.allSettled(sessions.map((session) => session.connect()));
    const missing = opened.filter(({ status }) => status === "rejected").length;
    const [session] = sessions;
    if (missing === 0 || session === undefined) return;
    throw new StartupError(
      `The connection pooler at ${placeOf(session)} had ${wanted - missing} free sessions, and this server needs ${wanted}. Raise its limits (default_pool_size and max_db_connections of PgBouncer), or lower PARLEY_POSTGRES_POOL: each server uses that many sessions and one more.`,
      opened.find((result) => result.status === "rejected")?.reason,
    );
  } finally {
    await Promise.allSettled(sessions.map((session) => session.end()));
  }
}

async function pidOf(session: Client): Promise<number> {
  const { rows } = await session.query<{ pid: number }>(patient(PID));
  const [row] = rows;
  if (row === undefined) throw new Error("PostgreSQL returned no row for the number of a session.");
  return row.pid;
}

/**
 * Returns how the session is shared; null if it is not. A session that is lent for one transaction is free between two
 * statements: a pooler that takes the one used last gives it to the other client, and one that takes the one used least
 * recently moves this client.
 */
async function sharingProblem(session: Client, other: Client, pid: number): Promise<string | null> {
  const moves = "it moves a client to another session between statements";
  other.on("error", () => {});
  try {
    if ((await pidOf(session)) !== pid) return moves;
    await other.connect();
    if ((await pidOf(session)) !== pid) return moves;
    await other.query(patient("begin"));
    if ((await pidOf(other)) === pid) return "it lends one session to several clients";
    return (await pidOf(session)) === pid ? null : moves;
  } catch (error) {
    if (/statement pooling/i.test(messageOf(error))) return messageOf(error);
    throw advised(session, error);
  } finally {
    await other.end();
  }
}

/** The driver reads `query_timeout` of each query; its types do not say so. */
const patient = (text: string): QueryConfig => ({ text, query_timeout: WAIT_MS }) as QueryConfig;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const placeOf = ({ host, port, database }: Client): string => `${host}:${port}/${database ?? ""}`;

/** Explains an error that only a pooler causes; returns others as they are. */
function advised(session: Client, error: unknown): unknown {
  const reason = messageOf(error);
  if (/statement pooling/i.test(reason)) return sharing(session, reason, error);
  if (/startup parameter/i.test(reason)) {
    return new StartupError(
      `The connection pooler at ${placeOf(session)} refuses a part of the login (${reason}). Keep only settings (-c name=value) in the options of DATABASE_URL.`,
      error,
    );
  }
  if (/^Query read timeout|query_wait_timeout/.test(reason)) {
    return new StartupError(
      `PostgreSQL at ${placeOf(session)} accepts connections and gives no session (${reason}). If a connection pooler is there, such as PgBouncer, it has no free session: raise its default_pool_size.`,
      error,
    );
  }
  return error;
}

const sharing = (session: Client, reason: string, cause?: unknown): StartupError =>
  new StartupError(
    `The connection pooler at ${placeOf(session)} gives a session to several clients (${reason}), as PgBouncer does in transaction and statement mode. Set its pool_mode to session for this database, or let DATABASE_URL name PostgreSQL itself: Parley keeps a lock and settings in its sessions, and has a pool of its own (PARLEY_POSTGRES_POOL).`,
    cause,
  );
