import { sql } from "kysely";
import type { Log } from "../logging/log.ts";
import type { Db } from "./db.ts";
import { isSqlite } from "./dialect.ts";
import { untilUnlocked } from "./postgres/until-unlocked.ts";
import { type Transactional, transact } from "./transact.ts";

/** Consecutive ids that nothing else gets. */
export interface IdBlock {
  readonly first: number;
  /**
   * The database gives the next id above the highest row there is. Until the block's last row is written, and after it is
   * deleted, a row with the last id must be there.
   */
  readonly needsKeeper: boolean;
}

/** How long PostgreSQL waits for the transactions that have sent something. Whoever sends meanwhile waits behind it. */
const WAIT_MS = 300;

/** Runs a transaction that takes ids of messages, again as long as others that send are in its way. */
export const transactWithIds = <C extends Transactional & { log: Pick<Log, "warn"> }, T>(
  ctx: C,
  act: (ctx: C) => Promise<T>,
): Promise<T> =>
  untilUnlocked(() => transact(ctx, act), ctx.clock, ctx.log, {
    waits: "waiting for a moment in which nobody sends, to take ids of messages: a transaction is long",
    failed: "No ids of messages can be taken",
  });

/**
 * Takes ids of messages in the caller's transaction (`transactWithIds`), above all that were given. PostgreSQL moves the
 * sequence while nobody else can insert: sends wait until the transaction ends, so it must be short.
 */
export async function takeMessageIds(db: Db, count: number): Promise<IdBlock> {
  if (!db.isTransaction) throw new Error("A block of ids needs a transaction.");
  if (isSqlite(db)) {
    const { rows } = await sql<{ id: number | null }>`select max(id) as id from messages`.execute(db);
    return { first: Number(rows[0]?.id ?? 0) + 1, needsKeeper: true };
  }
  await sql.raw(`set local lock_timeout = '${WAIT_MS}ms'`).execute(db);
  await sql`lock table messages in share row exclusive mode`.execute(db);
  const { rows } = await sql<{ first: number | string }>`
    select nextval(pg_get_serial_sequence('messages', 'id')) as first`.execute(db);
  const first = Number(rows[0]?.first);
  await sql`select setval(pg_get_serial_sequence('messages', 'id'), ${sql.lit(first + count - 1)}::bigint)`.execute(db);
  return { first, needsKeeper: false };
}
