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

const TRIES = 3;

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

/** True for a serialization failure or a deadlock. */
function isConflict(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "40001" || error.code === "40P01");
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
