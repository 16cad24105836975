import type { AppContext } from "../context.ts";
import { fail } from "../errors.ts";
import { entriesFrom, entryBefore, newestEntry, type StatementLine } from "./statement.store.ts";

export type { StatementLine };

/**
 * Returns up to `limit` entries of an account, newest first: the latest ones, or those before `before`.
 * Errors: `invalid_cursor`: `before` is not an entry of this account.
 */
export async function statementOf(
  ctx: AppContext,
  { account, currency }: { account: string; currency: string },
  { before, limit }: { before: number | undefined; limit: number },
): Promise<StatementLine[]> {
  const from =
    before === undefined
      ? await newestEntry(ctx.db, account, currency)
      : await entryBefore(ctx.db, account, currency, before);
  if (from === undefined) throw fail("invalid_cursor");
  return from === null ? [] : entriesFrom(ctx.db, from, limit);
}
