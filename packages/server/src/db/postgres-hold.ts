import type { Client } from "pg";
import type { Clock } from "../clock.ts";
import { HOLD } from "./postgres-schema.ts";
import { StartupError } from "./startup-error.ts";

/** A server that was killed just now may need a moment to be missed. */
const WAIT_MS = 2_000;
const RETRY_MS = 1_000;
/** So long in other hands it is another server that has it, and no session of ours which PostgreSQL does not miss yet. */
const GIVE_UP_MS = 60_000;
/** A machine that is gone says no goodbye: PostgreSQL asks after 10 s of silence, and three times before it believes it. */
const SETTINGS = [
  `set lock_timeout = ${WAIT_MS}`,
  "set tcp_keepalives_idle = 10",
  "set tcp_keepalives_interval = 5",
  "set tcp_keepalives_count = 3",
  // The lock's transaction stays open. PostgreSQL 17 has the second setting, others do not.
  "set idle_in_transaction_session_timeout = 0",
  "select set_config(name, '0', false) from pg_settings where name = 'transaction_timeout'",
].join("; ");
/**
 * Locks a view in Parley's own schema, in a transaction that stays open. An advisory lock would not do: any role that may connect can take it, and
 * `pg_locks` shows everyone its number, so that a secret one is none. Only roles with rights on the view can lock it.
 *
 * A view has no rows and is never vacuumed, so the lock is in nobody's way. The transaction has neither a number nor a snapshot, so it does not
 * keep PostgreSQL from removing old rows. Servers of a cluster would lock it in `share` mode, which this mode excludes.
 */
export const LOCK = `begin; lock table ${HOLD} in exclusive mode`;

interface Parts {
  /** A session for the lock alone, not connected yet. */
  open(): Client;
  /** How people know the database; without a password. */
  name: string;
  clock: Pick<Clock, "monotonic">;
  /** Another server has it now: this one must end. */
  onLost(error: StartupError): void;
}

/**
 * One server per database, because a server that does not hear the others serves half of a chat: it would not show what they commit. The lock
 * is a session's, so PostgreSQL drops it with the process, however that ends. When the session breaks, as when PostgreSQL is restarted, it is
 * taken again. Gives the function that lets go.
 */
export async function holdPostgres(parts: Parts): Promise<() => Promise<void>> {
  let isClosed = false;
  let session = await take(parts);

  const watch = (): void => void session.once("end", () => void regain());
  const regain = async (): Promise<void> => {
    let takenSince: number | undefined;
    while (!isClosed) {
      try {
        session = await take(parts);
        return isClosed ? await session.end() : watch();
      } catch (error) {
        // That PostgreSQL is away is told by every query; here it is only waited for.
        if (!(error instanceof StartupError)) takenSince = undefined;
        else {
          takenSince ??= parts.clock.monotonic();
          if (parts.clock.monotonic() - takenSince >= GIVE_UP_MS) return parts.onLost(error);
        }
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  };

  watch();
  return async () => {
    isClosed = true;
    await session.end();
  };
}

async function take({ open, name }: Parts): Promise<Client> {
  const session = open();
  // Without a listener a broken connection would end the process; what follows it is "end".
  session.on("error", () => {});
  await session.connect();
  try {
    await session.query(SETTINGS);
    await session.query(LOCK);
    return session;
  } catch (error) {
    await session.end();
    if (!(error instanceof Error && "code" in error && error.code === "55P03")) throw error;
    throw new StartupError(
      `Another Parley server is using PostgreSQL at ${name}. Stop it, or give this one a database of its own with DATABASE_URL: one database has one server.`,
      error,
    );
  }
}
