import type { Kysely } from "kysely";
import type { Clock } from "../clock.ts";
import { doomTransaction, inTransactionScope, refuseDoomed } from "./guarded-dialect.ts";
import type { Tables } from "./tables/tables.ts";

/** The part of a context that `transact` needs; `AppContext` has it. */
export interface Transactional {
  readonly db: Kysely<Tables>;
  readonly clock: Clock;
  readonly log: { error(fields: object, message: string): void };
  afterCommit(act: () => void, inDoubt?: () => void): void;
}

interface Effect {
  act: () => void;
  inDoubt: (() => void) | undefined;
}

/** The work at the end of a transaction, besides its effects. */
interface Ending {
  beforeCommit: (() => Promise<void>)[];
  beforeReturn: (() => Promise<void>)[];
}

/** Called when a transaction begins; the function it returns throws if that transaction may no longer commit. */
type CommitGuard = () => () => void;

type Db = Kysely<Tables>;

const TRIES = 3;

/** By transaction; few have an ending. */
const endings = new WeakMap<Db, Ending>();
/** By database. */
const guards = new WeakMap<Db, CommitGuard>();

/** Runs `act` inside the transaction `db`, as the last thing before its commit. */
export function beforeCommit(db: Db, act: () => Promise<void>): void {
  endingOf(db).beforeCommit.push(act);
}

/**
 * Runs `act` when the transaction `db` is committed and its effects have run; `transact` returns after it. `act` must
 * not fail: the commit has succeeded and must be answered.
 */
export function beforeReturn(db: Db, act: () => Promise<void>): void {
  endingOf(db).beforeReturn.push(act);
}

/** Lets `guard` decide whether a transaction of this database may still commit. */
export function guardCommits(db: Db, guard: CommitGuard): void {
  guards.set(db, guard);
}

/** For a write that is its own transaction: returns a function that throws if it may not be sent any more. */
export function commitGuard(db: Db): () => void {
  return guards.get(db)?.() ?? (() => {});
}

function endingOf(db: Db): Ending {
  if (!db.isTransaction) throw new Error("This is possible only inside a transaction.");
  const found = endings.get(db) ?? { beforeCommit: [], beforeReturn: [] };
  endings.set(db, found);
  return found;
}

/**
 * Runs `act` in one transaction. It receives an inner context, whose `db` is that transaction and whose `afterCommit`
 * waits for the commit; name it `ctx` too, so that the outer one is out of reach. Throwing rolls back. Inside a
 * transaction it joins that one, and a failure inside the joined part fails the whole.
 *
 * PostgreSQL may abort a transaction in favour of another (deadlock, serialization). `act` is then run again, so it
 * must have no effect besides its writes and `afterCommit`.
 */
export async function transact<C extends Transactional, T>(ctx: C, act: (ctx: C) => Promise<T>): Promise<T> {
  if (ctx.db.isTransaction) return joinTransaction(ctx, act);
  const guard = guards.get(ctx.db);
  for (let attempt = 1; ; attempt++) {
    const waiting: Effect[] = [];
    let isCommitting = false;
    let ending: Ending | undefined;
    let result: T;
    try {
      result = await inTransactionScope(() =>
        ctx.db.transaction().execute(async (trx) => {
          const assertMayCommit = guard?.();
          const answer = await act(innerContext(ctx, trx, waiting));
          ending = endings.get(trx);
          if (ending !== undefined) for (const write of ending.beforeCommit) await write();
          refuseDoomed();
          assertMayCommit?.();
          isCommitting = true;
          return answer;
        }),
      );
    } catch (error) {
      if (attempt >= TRIES || !isConflict(error)) {
        if (isCommitting) for (const { inDoubt } of waiting) if (inDoubt !== undefined) runEffect(ctx, inDoubt);
        throw error;
      }
      await pause(ctx.clock.randomBelow(20 * attempt) + 1);
      continue;
    }
    for (const { act } of waiting) runEffect(ctx, act);
    if (ending !== undefined) for (const wait of ending.beforeReturn) await wait();
    return result;
  }
}

async function joinTransaction<C extends Transactional, T>(ctx: C, act: (ctx: C) => Promise<T>): Promise<T> {
  try {
    return await act(ctx);
  } catch (error) {
    // A caller that catches this must not commit half of the failed part.
    doomTransaction(error);
    throw error;
  }
}

function innerContext<C extends Transactional>(ctx: C, db: Kysely<Tables>, waiting: Effect[]): C {
  const afterCommit = (act: () => void, inDoubt?: () => void) => {
    waiting.push({ act, inDoubt });
  };
  return Object.create(ctx, { db: { value: db }, afterCommit: { value: afterCommit } }) as C;
}

/** Runs an effect and contains its errors: the commit has succeeded and must be answered. */
function runEffect(ctx: Transactional, effect: () => void): void {
  try {
    effect();
  } catch (error) {
    ctx.log.error({ err: error }, "an effect after a commit failed");
  }
}

/** True for a serialization failure or a deadlock: PostgreSQL rolled back in favour of another transaction. */
export function isConflict(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "40001" || error.code === "40P01");
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
