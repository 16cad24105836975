import { pause } from "../base/timers.ts";
import type { Clock } from "../clock.ts";
import { derived } from "../context.ts";
import { commitsUnderWay } from "./commits-under-way.ts";
import type { Db } from "./db.ts";
import { doomTransaction, inTransactionScope, refuseDoomed } from "./guarded-dialect.ts";

/** The part of a context that `transact` needs; `AppContext` has it. */
export interface Transactional {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: { error(fields: object, message: string): void };
  afterCommit(act: () => void, inDoubt?: () => void): void;
  /** The act that the transaction is part of; absent: its writes need nobody's right. */
  readonly act?: RightfulAct | undefined;
}

/** What `transact` asks of an act; `Act` has it. */
export interface RightfulAct {
  mustDecide(ctx: Transactional): boolean;
  holds(ctx: Transactional): boolean;
  decideAgain(ctx: Transactional): Promise<void>;
  committed(ctx: Transactional, held: boolean): void;
}

interface Effect {
  act: () => void;
  inDoubt: (() => void) | undefined;
}

/** The work at the end of a transaction, besides its effects. */
interface Ending {
  beforeCommit: (() => Promise<void>)[];
  beforeReturn: (() => Promise<void>)[];
  /** Other acts whose writes are in the transaction, each with its context. */
  acts: { act: RightfulAct; ctx: Transactional }[];
}

/** Called when a transaction begins; the function it returns throws if that transaction may no longer commit. */
type CommitGuard = () => () => void;

const TRIES = 3;

/** A right that let an act in may have ended while it wrote. */
export class RightTouched extends Error {}

/** By transaction; few have one. */
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

/** Lets the transaction `ctx` commit only if this act, whose writes it contains, still holds. */
export function commitFor(act: RightfulAct, ctx: Transactional): void {
  endingOf(ctx.db).acts.push({ act, ctx });
}

function endingOf(db: Db): Ending {
  if (!db.isTransaction) throw new Error("This is possible only inside a transaction.");
  const found = endings.get(db) ?? { beforeCommit: [], beforeReturn: [], acts: [] };
  endings.set(db, found);
  return found;
}

/**
 * Runs `act` in one transaction. It receives an inner context, whose `db` is that transaction and whose `afterCommit`
 * waits for the commit; name it `ctx` too, so that the outer one is out of reach. Throwing rolls back. Inside a
 * transaction it joins that one, and a failure inside the joined part fails the whole.
 *
 * The rights that let an act in are decided again, first and under the locks of their rows, if something slow came
 * before or one of them was touched. A right that is gone rolls back, with the error of an act that begins now.
 * `rights`: whose rights the writes need, if not those of the context's act.
 *
 * PostgreSQL may abort a transaction in favour of another (deadlock, serialization), and a right may be touched while
 * it runs. `act` is then run again, so it must have no effect besides its writes and `afterCommit`.
 */
export async function transact<C extends Transactional, T>(
  ctx: C,
  act: (ctx: C) => Promise<T>,
  rights: RightfulAct | undefined = ctx.act,
): Promise<T> {
  if (ctx.db.isTransaction) return joinTransaction(ctx, act);
  const guard = guards.get(ctx.db);
  const underWay = commitsUnderWay(ctx.db);
  for (let attempt = 1; ; attempt++) {
    const waiting: Effect[] = [];
    let isCommitting = false;
    let leave: (() => void) | undefined;
    let ending: Ending | undefined;
    let result: T;
    try {
      result = await inTransactionScope(() =>
        ctx.db.transaction().execute(async (trx) => {
          const assertMayCommit = guard?.();
          const inner = innerContext(ctx, trx, waiting);
          if (rights !== undefined && (rights.mustDecide(inner) || !rights.holds(inner)))
            await rights.decideAgain(inner);
          const answer = await act(inner);
          ending = endings.get(trx);
          if (ending !== undefined) for (const write of ending.beforeCommit) await write();
          refuseDoomed();
          leave = underWay.enter();
          if (rights?.holds(inner) === false) await decideLate(rights, inner, attempt);
          if (ending !== undefined)
            for (const { act, ctx } of ending.acts) if (!act.holds(ctx)) await decideLate(act, ctx, attempt);
          assertMayCommit?.();
          isCommitting = true;
          return answer;
        }),
      );
    } catch (error) {
      if (attempt < TRIES && error instanceof RightTouched) continue;
      if (attempt >= TRIES || !isConflict(error)) {
        if (isCommitting) for (const { inDoubt } of waiting) if (inDoubt !== undefined) runEffect(ctx, inDoubt);
        throw error;
      }
      await pause(ctx.clock.randomBelow(20 * attempt) + 1);
      continue;
    } finally {
      leave?.();
    }
    const held = rights?.holds(ctx) === true;
    for (const { act } of waiting) runEffect(ctx, act);
    rights?.committed(ctx, held);
    if (ending !== undefined) for (const wait of ending.beforeReturn) await wait();
    return result;
  }
}

/**
 * Throws `RightTouched` for an act one of whose rights was touched during the transaction, which then runs again and
 * decides first: a decision that follows the act's own writes could be misled by them. The last try makes it all the same.
 */
async function decideLate(act: RightfulAct, ctx: Transactional, attempt: number): Promise<void> {
  if (attempt < TRIES) throw new RightTouched();
  await act.decideAgain(ctx);
}

async function joinTransaction<C extends Transactional, T>(ctx: C, act: (ctx: C) => Promise<T>): Promise<T> {
  try {
    if (ctx.act?.mustDecide(ctx) === true) await ctx.act.decideAgain(ctx);
    return await act(ctx);
  } catch (error) {
    // A caller that catches this must not commit half of the failed part.
    doomTransaction(error);
    throw error;
  }
}

function innerContext<C extends Transactional>(ctx: C, db: Db, waiting: Effect[]): C {
  const inner = derived<Transactional>(ctx);
  inner.db = db;
  inner.afterCommit = (act, inDoubt) => void waiting.push({ act, inDoubt });
  return inner as C;
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
