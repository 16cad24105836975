import { type AppContext, derived, perServer } from "../context.ts";
import { BatchQueue } from "./batch-queue.ts";
import { commitsUnderWay } from "./commits-under-way.ts";
import { commitFor, transact } from "./transact.ts";

/** The most acts in one transaction. */
const BATCH_MAX = 64;

type Act<T> = (ctx: AppContext) => Promise<T>;

interface Draft {
  act: Act<unknown>;
  /** Whose right the write needs. */
  by: AppContext["act"];
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
    for (const { act, by } of drafts) {
      if (by === undefined) answers.push(await act(ctx));
      else answers.push(await act(await decided(ctx, by)));
    }
    return answers;
  };
  const [first] = drafts;
  const isAlone = drafts.length === 1 && first?.isStatement === true && first.by?.mustDecide(ctx) !== true;
  return isAlone ? alone(ctx, first) : transact(ctx, inOrder);
}

/** Returns the context of one act in a shared transaction, which commits only if the act's rights still hold. */
async function decided(ctx: AppContext, by: NonNullable<AppContext["act"]>): Promise<AppContext> {
  if (by.mustDecide(ctx) || !by.holds(ctx)) await by.decideAgain(ctx);
  commitFor(by, ctx);
  const acting = derived(ctx);
  acting.act = by;
  return acting;
}

/** Runs a single statement, which is its own transaction. */
async function alone(ctx: AppContext, { act, by }: Draft): Promise<unknown[]> {
  const leave = commitsUnderWay(ctx.db).enter();
  try {
    if (by?.holds(ctx) === false) await by.decideAgain(ctx);
    return [await act(ctx)];
  } finally {
    leave();
  }
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
  return ctx.db.isTransaction ? transact(ctx, act) : (queue(ctx).add({ act, by: ctx.act, isStatement }) as Promise<T>);
}
