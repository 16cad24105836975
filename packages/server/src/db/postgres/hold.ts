import type { Client } from "pg";
import { pause } from "../../base/timers.ts";
import type { Clock } from "../../clock.ts";
import { StartupError } from "../startup-error.ts";
import { HOLD } from "./schema.ts";

/** The time PostgreSQL may need to notice a server that was just killed. */
const WAIT_MS = 2_000;
const RETRY_MS = 1_000;
/** After this long, another server holds the lock, not a dead session of ours that PostgreSQL has not noticed. */
const GIVE_UP_MS = 60_000;
/** A lost machine closes no connection: PostgreSQL probes after 10 s of silence, and three times before it gives up. */
const SETTINGS = [
  `set lock_timeout = ${WAIT_MS}`,
  "set tcp_keepalives_idle = 10",
  "set tcp_keepalives_interval = 5",
  "set tcp_keepalives_count = 3",
  // The lock's transaction stays open. Only PostgreSQL 17 and later has the second setting.
  "set idle_in_transaction_session_timeout = 0",
  "select set_config(name, '0', false) from pg_settings where name = 'transaction_timeout'",
].join("; ");
/**
 * Locks a view in Parley's own schema, in a transaction that stays open. An advisory lock is unsafe: any role that can
 * connect can take it, and `pg_locks` shows its number to everyone. Only roles with rights on the view can lock it.
 *
 * A view has no rows and is never vacuumed, so the lock blocks nothing else. The transaction has no id and no snapshot,
 * so it does not keep PostgreSQL from removing old rows. The nodes of a cluster lock it in `share` mode, which this mode
 * excludes.
 */
export const LOCK = `begin; lock table ${HOLD} in exclusive mode`;
const SHARED_LOCK = `begin; lock table ${HOLD} in share mode`;

interface Parts {
  /** Creates a session for the lock alone, not connected yet. */
  open(): Client;
  /** The database's name in messages, without a password. */
  name: string;
  /** True for a node of a cluster, which allows other nodes but no lone server. */
  isShared: boolean;
  clock: Pick<Clock, "monotonic">;
  /** Called when another server has taken the lock: this server must end. */
  onLost(error: StartupError): void;
}

/**
 * Holds the lock that allows one lone server per database, or the nodes of one cluster: a server that does not hear the
 * others would not show what they commit. The lock belongs to a session, so PostgreSQL drops it when the process ends
 * in any way. If the session breaks, for example when PostgreSQL restarts, the lock is taken again. Returns the function
 * that releases it.
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
        // Every query reports that PostgreSQL is unavailable; here just wait for it.
        if (!(error instanceof StartupError)) takenSince = undefined;
        else {
          takenSince ??= parts.clock.monotonic();
          if (parts.clock.monotonic() - takenSince >= GIVE_UP_MS) return parts.onLost(error);
        }
      }
      await pause(RETRY_MS);
    }
  };

  watch();
  return async () => {
    isClosed = true;
    await session.end();
  };
}

async function take({ open, name, isShared }: Parts): Promise<Client> {
  const session = open();
  // Without a listener a broken connection would end the process; "end" follows.
  session.on("error", () => {});
  await session.connect();
  try {
    await session.query(SETTINGS);
    await session.query(isShared ? SHARED_LOCK : LOCK);
    return session;
  } catch (error) {
    const isTaken = error instanceof Error && "code" in error && error.code === "55P03";
    const advice = isTaken && (isShared ? adviceForNode(name) : await adviceForLoneServer(session, name));
    await session.end();
    throw typeof advice === "string" ? new StartupError(advice, error) : error;
  }
}

const adviceForNode = (name: string): string =>
  `A Parley server without REDIS_URL is using PostgreSQL at ${name}. Stop it, and start it with the REDIS_URL of the other servers: all servers on one database need it.`;

/** Tells a cluster from another lone server by the mode in which the lock is held. */
async function adviceForLoneServer(session: Client, name: string): Promise<string> {
  await session.query("rollback");
  const { rows } = await session.query(
    "select 1 from pg_locks where relation = $1::regclass and mode = 'ShareLock' and granted limit 1",
    [HOLD],
  );
  return rows.length > 0
    ? `The nodes of a Parley cluster are using PostgreSQL at ${name}, and this server has no REDIS_URL. Set REDIS_URL as they do, or give this server its own database with DATABASE_URL.`
    : `Another Parley server is using PostgreSQL at ${name}. Stop it, or give this one its own database with DATABASE_URL. Several servers can use one database if all of them have the same REDIS_URL.`;
}
