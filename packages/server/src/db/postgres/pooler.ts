import type { Client, QueryConfig } from "pg";
import { StartupError } from "../startup-error.ts";
import { MARK } from "./connection.ts";

/** The driver keeps the number of the session that it was given at the login; its types do not say so. */
type Session = Client & { processID?: number | null };

interface Facts {
  pid: number;
  mark: string | null;
}

/** A pooler without a free session keeps a client waiting for minutes. */
const WAIT_MS = 5_000;
const FACTS = `select pg_catalog.pg_backend_pid() as pid, pg_catalog.current_setting('${MARK}', true) as mark`;

/**
 * Connects a session, made by `open` as another one is, and assures that nobody else uses it and that it has the options
 * of `connectionTo`. A connection pooler in transaction or statement mode lends the same session to several clients: the server's lock, the
 * `search_path` and prepared statements would be those of others.
 * @throws a `StartupError` that names the pooler and what to do; the driver's error if PostgreSQL cannot be reached
 */
export async function assertOwnSession(session: Client, open: () => Client): Promise<void> {
  try {
    await session.connect();
  } catch (error) {
    // PostgreSQL takes every parameter that Parley sends at a login.
    if (/startup parameter/i.test(messageOf(error))) throw refusal(session, messageOf(error), error);
    throw error;
  }
  const { pid, mark } = await factsOf(session);
  if (mark !== "kept") throw refusal(session, "it ignores the options of a connection");
  if (pid === (session as Session).processID) return;
  const problem = await sharingProblem(session, open(), pid);
  if (problem !== null) throw refusal(session, problem);
}

async function factsOf(session: Client): Promise<Facts> {
  const { rows } = await session.query<Facts>(patient(FACTS));
  const [facts] = rows;
  if (facts === undefined) throw new Error("PostgreSQL returned no row for its own settings.");
  return facts;
}

/**
 * Something else gave the session its number. Returns why the session is not Parley's alone; null if it is, as in the
 * session mode of a pooler. In a shared pool the other client's transaction takes the session that is free.
 */
async function sharingProblem(session: Client, other: Client, pid: number): Promise<string | null> {
  other.on("error", () => {});
  try {
    await other.connect();
    await other.query(patient("begin"));
    const borrowed = await factsOf(other);
    if (borrowed.pid === pid) return "it lends one session to several clients";
    return (await factsOf(session)).pid === pid ? null : "it moves a client to another session between statements";
  } catch (error) {
    return messageOf(error);
  } finally {
    await other.end();
  }
}

/** The driver reads `query_timeout` of each query; its types do not say so. */
const patient = (text: string): QueryConfig => ({ text, query_timeout: WAIT_MS }) as QueryConfig;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const refusal = ({ host, port, database }: Client, reason: string, cause?: unknown): StartupError =>
  new StartupError(
    `A connection pooler, such as PgBouncer, is between Parley and PostgreSQL at ${host}:${port}/${database ?? ""} (${reason}). Let DATABASE_URL name PostgreSQL itself: Parley needs sessions that nobody else uses, and has a pool of its own (PARLEY_POSTGRES_POOL).`,
    cause,
  );
