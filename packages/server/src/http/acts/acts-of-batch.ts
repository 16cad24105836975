import type { Act, AppContext } from "../../context.ts";
import { type RightfulAct, transact } from "../../db/transact.ts";
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
 * Has `write` write the drafts of a batch that may still be stored, in one transaction, which commits only if their
 * rights still hold then. The others are answered with what ended their right. Returns each draft's result at its index.
 */
export function transactBatch<D extends ActsDraft, A>(
  ctx: AppContext,
  drafts: readonly D[],
  write: (ctx: AppContext, drafts: readonly D[]) => Promise<(A | Error)[]>,
): Promise<(A | Error)[]> {
  const acts = new ActsOfBatch(drafts);
  return transact(ctx, (ctx) => acts.write(ctx, write), acts);
}

/** The acts of a batch as one: the batch commits only if all of those that it stores still hold. */
class ActsOfBatch<D extends ActsDraft> implements RightfulAct {
  readonly #drafts: readonly D[];
  /** The errors of the drafts that may not be stored any more, at their index; null: all may. */
  #refused: (Error | undefined)[] | null = null;
  /** The transaction that has begun to write. */
  #writtenIn: unknown = null;

  constructor(drafts: readonly D[]) {
    this.#drafts = drafts;
  }

  mustDecide(ctx: AppContext): boolean {
    return this.#drafts.some((draft, index) => !this.#isRefused(index) && mustDecide(ctx, draft));
  }

  holds(ctx: AppContext): boolean {
    return this.#drafts.every((draft, index) => this.#isRefused(index) || holds(ctx, draft));
  }

  /** Decides about the drafts whose rights may have ended. Once they are being written, a refusal fails the batch. */
  async decideAgain(ctx: AppContext): Promise<void> {
    for (const [index, { act }] of this.#drafts.entries()) {
      if (act === undefined || this.#isRefused(index) || (act.holds(ctx) && !act.mustDecide(ctx))) continue;
      try {
        await act.decideAgain(ctx);
      } catch (error) {
        if (!(error instanceof AppError) || this.#writtenIn === ctx.db) throw error;
        this.#refused ??= [];
        this.#refused[index] = error;
      }
    }
  }

  committed(): void {}

  async write<A>(
    ctx: AppContext,
    write: (ctx: AppContext, drafts: readonly D[]) => Promise<(A | Error)[]>,
  ): Promise<(A | Error)[]> {
    this.#writtenIn = ctx.db;
    const refused = this.#refused;
    if (refused === null) return write(ctx, this.#drafts);
    const written = await write(
      ctx,
      this.#drafts.filter((_, index) => refused[index] === undefined),
    );
    let next = 0;
    return this.#drafts.map((_, index) => refused[index] ?? written[next++] ?? fail("internal_error"));
  }

  #isRefused(index: number): boolean {
    return this.#refused !== null && this.#refused[index] !== undefined;
  }
}
