import type { Act, AppContext } from "../../context.ts";
import { commitFor, type RightfulAct } from "../../db/transact.ts";
import { AppError, fail } from "../../errors.ts";

/** A write that waits in a queue, with the act that it is part of; absent: it needs nobody's right. */
export interface ActsDraft {
  act?: Act;
}

const holds = (ctx: AppContext, { act }: ActsDraft): boolean => act === undefined || act.holds(ctx);

/** True if no right was touched that let these drafts in. One comparison for each, usually. */
export const allHold = (ctx: AppContext, drafts: readonly { draft: ActsDraft }[]): boolean =>
  drafts.every(({ draft }) => holds(ctx, draft));

/** True if the rights of a draft must be decided again in a transaction. */
export const mustDecide = (ctx: AppContext, { act }: ActsDraft): boolean => act?.mustDecide(ctx) === true;

/**
 * Has `write` write the drafts of a batch that may still be stored, inside its transaction, which commits only if their
 * rights still hold then. The others are answered with what ended their right. Returns each draft's result at its index.
 */
export async function writeAllowed<D extends ActsDraft, A>(
  ctx: AppContext,
  drafts: readonly D[],
  write: (ctx: AppContext, drafts: readonly D[]) => Promise<(A | Error)[]>,
): Promise<(A | Error)[]> {
  const refused = await refusals(ctx, drafts);
  const allowed = refused === null ? drafts : drafts.filter((_, index) => refused[index] === undefined);
  commitFor(actOfBatch(allowed), ctx);
  const written = await write(ctx, allowed);
  if (refused === null) return written;
  let next = 0;
  return drafts.map((_, index) => refused[index] ?? written[next++] ?? fail("internal_error"));
}

/** The acts of a batch as one: the batch commits only if all of them still hold. */
const actOfBatch = (drafts: readonly ActsDraft[]): RightfulAct => ({
  mustDecide: () => false,
  committed: () => {},
  holds: (ctx: AppContext) => drafts.every((draft) => holds(ctx, draft)),
  async decideAgain(ctx: AppContext) {
    for (const { act } of drafts) if (act?.holds(ctx) === false) await act.decideAgain(ctx);
  },
});

/**
 * Decides again, in the transaction that writes the batch, about the drafts whose rights may have ended. Returns the
 * errors of those that may not be stored any more, at their index; null: all may.
 */
async function refusals(ctx: AppContext, drafts: readonly ActsDraft[]): Promise<(Error | undefined)[] | null> {
  let refused: (Error | undefined)[] | null = null;
  for (const [index, { act }] of drafts.entries()) {
    if (act === undefined || (act.holds(ctx) && !act.mustDecide(ctx))) continue;
    try {
      await act.decideAgain(ctx);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      refused ??= [];
      refused[index] = error;
    }
  }
  return refused;
}
