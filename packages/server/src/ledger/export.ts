import type { AppContext } from "../context.ts";
import type { Db } from "../db/db.ts";
import { pagesOf } from "../http/answers/streamed.ts";
import { recordsOf, withTimes } from "../user-export.ts";
import { userAccount } from "./account-names.ts";
import { type StatementLine, statementOf } from "./statement.ts";

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
