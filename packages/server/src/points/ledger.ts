import type { AppContext } from "../context.ts";
import { inStatements } from "../db/statement-sizes.ts";
import { fail } from "../errors.ts";
import { isSystemAccount } from "./accounts.ts";
import {
  entriesOf,
  findBalance,
  holdBalances,
  insertEntries,
  insertTransfer,
  moveBalance,
  moveBalances,
} from "./ledger.store.ts";
import { inOrder, type Leg, type Transfer, transferProblem } from "./transfer.ts";

/**
 * Writes a movement of value (contract, section 6), inside the caller's transaction: all legs, or with that transaction nothing. A
 * key that was written before moves nothing again and answers `isNew: false`, so that whoever may have been interrupted can ask again.
 *
 * A transfer that is wrong in itself, or that says something else than the one with its key, is a bug and throws an Error.
 * @throws insufficient_balance: an account other than `system:…` would fall below zero
 */
export async function postTransfer(ctx: AppContext, transfer: Transfer): Promise<{ isNew: boolean }> {
  const { key, kind, currency, legs } = transfer;
  const problem = transferProblem(transfer);
  if (problem !== undefined) throw new Error(`The transfer ${key} cannot be posted: ${problem}.`);
  if (!ctx.db.isTransaction) throw new Error(`The transfer ${key} is posted outside a transaction.`);

  const transferId = await insertTransfer(ctx.db, key, kind, ctx.clock.now());
  if (transferId === null) {
    await refuseOther(ctx, transfer);
    return { isNew: false };
  }
  const balances = await applyLegs(ctx, currency, inOrder(legs));
  const entries = inOrder(legs).map(({ account, amount }) => ({
    transfer_id: transferId,
    currency,
    account,
    amount: String(amount),
    balance: balances.get(account) ?? null,
  }));
  await insertEntries(ctx.db, entries);
  return { isNew: true };
}

/** Moves the balances of all legs, in their order, many at a time where there are many; answers what they are then. */
async function applyLegs(ctx: AppContext, currency: string, legs: readonly Leg[]): Promise<Map<string, string>> {
  const after = new Map<string, string>();
  for (const some of inStatements(legs.filter(({ account }) => !isSystemAccount(account)))) {
    const [only] = some;
    if (some.length === 1 && only !== undefined) after.set(only.account, await applyLeg(ctx, currency, only));
    else await applyMany(ctx, currency, some, after);
  }
  return after;
}

/** A balance that appears between reading and writing is read again. */
async function applyMany(
  ctx: AppContext,
  currency: string,
  legs: readonly Leg[],
  after: Map<string, string>,
): Promise<void> {
  for (let left = legs; left.length > 0; ) {
    const accounts = left.map(({ account }) => account);
    const found = await holdBalances(ctx.db, accounts, currency);
    const moves = left.map(({ account, amount }) => {
      const from = found.get(account) ?? null;
      const to = BigInt(from ?? 0) + amount;
      if (to < 0n) throw fail("insufficient_balance");
      return { account, from, to: String(to) };
    });
    const moved = await moveBalances(ctx.db, currency, moves);
    for (const { account, to } of moves) if (moved.has(account)) after.set(account, to);
    left = left.filter(({ account }) => !moved.has(account));
  }
}

/**
 * Moves one balance and answers what it is then. A change by somebody else between reading and writing is seen, and read again: each
 * round that fails here has succeeded there.
 */
async function applyLeg(ctx: AppContext, currency: string, { account, amount }: Leg): Promise<string> {
  for (;;) {
    const found = await findBalance(ctx.db, account, currency);
    const balance = BigInt(found ?? 0) + amount;
    if (balance < 0n) throw fail("insufficient_balance");
    if (await moveBalance(ctx.db, account, currency, found, String(balance))) return String(balance);
  }
}

async function refuseOther(ctx: AppContext, { key, kind, currency, legs }: Transfer): Promise<void> {
  const posted = await entriesOf(ctx.db, key);
  const amounts = new Map(legs.map(({ account, amount }) => [account, String(amount)]));
  const same =
    posted.length === legs.length &&
    posted.every((e) => e.kind === kind && e.currency === currency && amounts.get(e.account) === e.amount);
  if (!same) throw new Error(`The transfer ${key} was posted before with another content.`);
}

/** What an ordinary account can spend. */
export async function balanceOf(ctx: AppContext, account: string, currency: string): Promise<bigint> {
  if (isSystemAccount(account)) throw new Error(`${account} has no balance: it is where value comes from.`);
  return BigInt((await findBalance(ctx.db, account, currency)) ?? 0);
}
