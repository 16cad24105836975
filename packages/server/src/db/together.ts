import { type AppContext, perServer } from "../context.ts";
import { BatchQueue } from "./batch-queue.ts";
import { transact } from "./transact.ts";

/** At most so many in one transaction. */
const BATCH_MAX = 64;

type Act<T> = (ctx: AppContext) => Promise<T>;

interface Draft {
  act: Act<unknown>;
  /** It is one statement, which by itself needs no transaction. */
  isStatement: boolean;
}

/** It waits for no more than one turn and refuses nobody: what is written here is a part of something that was let in. */
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
 * `transact` for small acts that come in crowds: those that come while others are committed share one transaction, because the commit is
 * most of what they cost. When that fails each is run again in one of its own: as with `transact`, an act must have no effect besides what
 * it writes and what waits in `afterCommit`. Inside a transaction it joins that one.
 */
export function transactTogether<T>(ctx: AppContext, act: Act<T>): Promise<T> {
  return together(ctx, act, false);
}

/** The same for one statement: when it comes alone it needs no transaction. */
export function writeTogether<T>(ctx: AppContext, statement: Act<T>): Promise<T> {
  return together(ctx, statement, true);
}

function together<T>(ctx: AppContext, act: Act<T>, isStatement: boolean): Promise<T> {
  return ctx.db.isTransaction ? transact(ctx, act) : (queue(ctx).add({ act, isStatement }) as Promise<T>);
}
