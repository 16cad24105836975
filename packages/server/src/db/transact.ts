import type { Kysely } from "kysely";
import type { Clock } from "../clock.ts";
import { doomTransaction, inTransactionScope, refuseDoomed } from "./guarded-dialect.ts";
import type { Tables } from "./tables.ts";

/** What `transact` needs of a context; `AppContext` is one. */
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

const TRIES = 3;

/**
 * Runs `act` in one transaction. It is given an inner context, whose `db` is that transaction and whose `afterCommit` waits for the
 * commit; name it `ctx` too, so that the outer one cannot be reached. Throwing rolls back. Inside a transaction it joins that one,
 * and a failure inside the joined part fails the whole.
 *
 * PostgreSQL may end a transaction for the sake of another one (deadlock, serialization); then `act` is run again, so it must have
 * no effect besides what it writes and what waits in `afterCommit`.
 */
export async function transact<C extends Transactional, T>(ctx: C, act: (ctx: C) => Promise<T>): Promise<T> {
  if (ctx.db.isTransaction) return joinTransaction(ctx, act);
  for (let attempt = 1; ; attempt++) {
    const waiting: Effect[] = [];
    let isCommitting = false;
    let result: T;
    try {
      result = await inTransactionScope(() =>
        ctx.db.transaction().execute(async (trx) => {
          const answer = await act(innerContext(ctx, trx, waiting));
          refuseDoomed();
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
    return result;
  }
}

async function joinTransaction<C extends Transactional, T>(ctx: C, act: (ctx: C) => Promise<T>): Promise<T> {
  try {
    return await act(ctx);
  } catch (error) {
    // Whoever catches this further out must not commit half of what failed here.
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

/** The commit stands and must be answered, whatever an event's handler does. */
function runEffect(ctx: Transactional, effect: () => void): void {
  try {
    effect();
  } catch (error) {
    ctx.log.error({ err: error }, "An effect after a commit failed");
  }
}

/** Serialization failure, deadlock. */
function isConflict(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "40001" || error.code === "40P01");
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
