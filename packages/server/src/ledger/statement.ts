import type { AppContext } from "../context.ts";
import type { Db } from "../db/db.ts";
import { fail } from "../errors.ts";
import { pagesOf } from "../http/answers/streamed.ts";
import { recordsOf, withTimes } from "../user-export.ts";
import { userAccount } from "./account-names.ts";
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

const ROWS = 500;

async function currenciesOf(db: Db, account: string): Promise<string[]> {
  const rows = await db
    .selectFrom("ledger_balances")
    .select("currency")
    .where("account", "=", account)
    .orderBy("currency")
    .execute();
  return rows.map(({ currency }) => currency);
}

/** Yields the ledger lines of each currency in turn, newest first. */
async function* ledgerPages(ctx: AppContext, userId: number): AsyncGenerator<(StatementLine & { currency: string })[]> {
  const account = userAccount(userId);
  for (const currency of await currenciesOf(ctx.db, account)) {
    const read = (last: StatementLine | undefined) =>
      statementOf(ctx, { account, currency }, { before: last?.id, limit: ROWS });
    for await (const lines of pagesOf(ROWS, read)) yield lines.map((line) => ({ ...line, currency }));
  }
}

export const exportLedger = recordsOf(
  (ctx, { userId }) => ledgerPages(ctx, userId),
  ({ id, ...row }) => ({ entry_id: id, ...withTimes(row) }),
);
