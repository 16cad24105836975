import { type AppContext, perServer } from "../context.ts";
import { BatchQueue } from "./batch-queue.ts";
import { transact } from "./transact.ts";

/** The most acts in one transaction. */
const BATCH_MAX = 64;

type Act<T> = (ctx: AppContext) => Promise<T>;

interface Draft {
  act: Act<unknown>;
  /** True for a single statement, which needs no transaction by itself. */
  isStatement: boolean;
}

/** Waits for at most one turn and refuses nothing: these writes are part of requests that were already admitted. */
const queue = perServer(
  (ctx): BatchQueue<Draft, unknown> =>
    new BatchQueue(ctx, {
      commit: (drafts) => commit(ctx, drafts),
      batchMax: BATCH_MAX,
      turnsMax: 0,
      queueMax: Number.POSITIVE_INFINITY,
    }),
);

function commit(ctx: AppContext, drafts: readonly Draft[]): Promise<unknown[]> {
  const inOrder: Act<unknown[]> = async (ctx) => {
    const answers: unknown[] = [];
    for (const { act } of drafts) answers.push(await act(ctx));
    return answers;
  };
  const isAlone = drafts.length === 1 && drafts.every(({ isStatement }) => isStatement);
  return isAlone ? inOrder(ctx) : transact(ctx, inOrder);
}

/**
 * Like `transact`, for frequent small acts: those that arrive during a commit share the next transaction, because the
 * commit is most of their cost. If that fails, each is run again in its own: as with `transact`, an act must have no
 * effect besides its writes and `afterCommit`. Inside a transaction it joins that one.
 */
export function transactTogether<T>(ctx: AppContext, act: Act<T>): Promise<T> {
  return together(ctx, act, false);
}

/** Like `transactTogether`, for one statement, which needs no transaction if it runs alone. */
export function writeTogether<T>(ctx: AppContext, statement: Act<T>): Promise<T> {
  return together(ctx, statement, true);
}

function together<T>(ctx: AppContext, act: Act<T>, isStatement: boolean): Promise<T> {
  return ctx.db.isTransaction ? transact(ctx, act) : (queue(ctx).add({ act, isStatement }) as Promise<T>);
}
