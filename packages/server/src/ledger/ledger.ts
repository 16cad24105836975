import type { AppContext } from "../context.ts";
import { fail } from "../errors.ts";
import { isSystemAccount } from "./account-names.ts";
import {
  type Entry,
  findBalance,
  findPosted,
  insertEntries,
  insertTransfer,
  isTaken,
  type LockedBalance,
  lockBalances,
  moveBalances,
  openBalances,
} from "./ledger.store.ts";
import { inOrder, LEGS_MAX, type Leg, type Transfer, transferProblem } from "./transfer.ts";

/**
 * Posts a transfer of value (protocol §6), inside the caller's transaction: all legs or none. Idempotent: a key that
 * was posted before moves nothing and returns `isNew: false`, so an interrupted caller can retry.
 *
 * An invalid transfer, or one that differs from the posted one with its key, is a bug and throws an Error.
 * @throws insufficient_balance: an account other than `system:…` would fall below zero
 * @throws points_on_hold: an account would fall below what its leg says is on hold
 */
export async function postTransfer(ctx: AppContext, transfer: Transfer): Promise<{ isNew: boolean }> {
  const { key, kind, currency, legs } = transfer;
  const problem = transferProblem(transfer);
  if (problem !== undefined) throw new Error(`The transfer ${key} cannot be posted: ${problem}.`);
  if (!ctx.db.isTransaction) throw new Error(`The transfer ${key} is posted outside a transaction.`);

  const ordered = inOrder(legs);
  const accounts = ordered.map(({ account }) => account).filter((account) => !isSystemAccount(account));
  // Locked before the transfer gets its id, so that the ids of one account follow the order of its changes.
  const held = await hold(ctx, accounts, currency);
  const id = await insertTransfer(ctx.db, key, kind, ctx.clock.now());
  if (id === null) {
    await refuseOther(ctx, transfer);
    return { isNew: false };
  }
  const entries = ordered.map((leg, place) => entryOf({ transferId: id, place, currency }, leg, held.get(leg.account)));
  await insertEntries(ctx.db, entries);
  await moveBalances(ctx.db, entries.flatMap(balanceAfter));
  return { isNew: true };
}

/** Locks the accounts' balances until the transaction ends, so that nobody else changes them between read and write. */
async function hold(
  ctx: AppContext,
  accounts: readonly string[],
  currency: string,
): Promise<ReadonlyMap<string, LockedBalance>> {
  const held = await lockBalances(ctx.db, accounts, currency);
  if (held.size === accounts.length) return held;
  const missing = accounts.filter((account) => !held.has(account));
  await openBalances(ctx.db, missing, currency);
  return new Map([...held, ...(await lockBalances(ctx.db, missing, currency))]);
}

/**
 * Returns the ledger entry of one leg, with the account's balance after it; a system account has no balance, so `held`
 * is undefined.
 */
function entryOf(
  { transferId, place, currency }: { transferId: number; place: number; currency: string },
  { account, amount, onHold = 0n }: Leg,
  held: LockedBalance | undefined,
): Entry {
  const balance = held === undefined ? null : BigInt(held.balance) + amount;
  if (balance !== null) refuseOverspent({ balance, amount, onHold });
  return {
    id: transferId * LEGS_MAX + place,
    transfer_id: transferId,
    account,
    currency,
    amount: String(amount),
    balance: balance === null ? null : String(balance),
    previous_id: held?.last_id ?? null,
  };
}

/**
 * Refuses to overspend. `balance` is the account's balance after the transfer. Accounts that receive are never refused.
 */
function refuseOverspent({ balance, amount, onHold }: { balance: bigint; amount: bigint; onHold: bigint }): void {
  if (balance < 0n) throw fail("insufficient_balance");
  if (amount > 0n || balance >= onHold) return;
  const available = balance - amount - onHold;
  throw fail("points_on_hold", { details: { available: String(available < 0n ? 0n : available) } });
}

const balanceAfter = ({ account, currency, balance, id }: Entry) =>
  balance === null ? [] : [{ account, currency, balance, last_id: id }];

async function refuseOther(ctx: AppContext, { key, kind, currency, legs }: Transfer): Promise<void> {
  const posted = await findPosted(ctx.db, key);
  const amounts = new Map(legs.map(({ account, amount }) => [account, String(amount)]));
  const same =
    posted?.kind === kind &&
    posted.entries.length === legs.length &&
    posted.entries.every((entry) => entry.currency === currency && amounts.get(entry.account) === entry.amount);
  if (!same) throw new Error(`The transfer ${key} was already posted with different content.`);
}

/** Returns true if a transfer with this key was posted. */
export function isPosted(ctx: AppContext, key: string): Promise<boolean> {
  return isTaken(ctx.db, key);
}

/** Returns the amount that the transfer with this key gave an account; 0n without such a transfer or leg. */
export async function postedTo(ctx: AppContext, key: string, account: string): Promise<bigint> {
  const posted = await findPosted(ctx.db, key);
  return BigInt(posted?.entries.find((entry) => entry.account === account)?.amount ?? 0);
}

/** Returns the balance of an ordinary account. */
export async function balanceOf(ctx: AppContext, account: string, currency: string): Promise<bigint> {
  if (isSystemAccount(account)) throw new Error(`${account} has no balance, because it is a source of value.`);
  return BigInt((await findBalance(ctx.db, account, currency)) ?? 0);
}
