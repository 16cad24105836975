import type { AppContext } from "../../context.ts";
import type { RightfulAct } from "../../db/transact.ts";
import { AppError } from "../../errors.ts";
import type { Appended, Draft } from "./draft.ts";

const holds = (ctx: AppContext, { act }: Draft): boolean => act === undefined || act.holds(ctx);

/** True if no right was touched that let these drafts in. One comparison for each, usually. */
export const allHold = (ctx: AppContext, drafts: readonly { draft: Draft }[]): boolean =>
  drafts.every(({ draft }) => holds(ctx, draft));

/** The acts of a batch as one: the batch commits only if all of them still hold. */
export const actOfBatch = (drafts: readonly Draft[]): RightfulAct => ({
  mustDecide: () => false,
  committed: () => {},
  holds: (ctx: AppContext) => drafts.every((draft) => holds(ctx, draft)),
  async decideAgain(ctx: AppContext) {
    for (const { act } of drafts) if (act?.holds(ctx) === false) await act.decideAgain(ctx);
  },
});

/** True if the rights of a draft must be decided again in a transaction. */
export const mustDecide = (ctx: AppContext, { act }: Draft): boolean => act?.mustDecide(ctx) === true;

/**
 * Decides again, in the transaction that writes the batch, about the drafts whose rights may have ended. Returns the
 * errors of those that may not be stored any more, at their index; null: all may.
 */
export async function refusals(
  ctx: AppContext,
  drafts: readonly Draft[],
): Promise<(Appended | Error | undefined)[] | null> {
  let refused: (Error | undefined)[] | null = null;
  for (const [index, draft] of drafts.entries()) {
    const { act } = draft;
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
