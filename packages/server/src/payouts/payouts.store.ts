import type { ExpressionBuilder, Insertable, Selectable, Updateable } from "kysely";
import type { ChainKind } from "../chains/chain.ts";
import type { Db } from "../db/db.ts";
import type { PayoutAttemptsTable, PayoutState, PayoutsTable } from "../db/tables/payouts.ts";
import type { Tables } from "../db/tables/tables.ts";

export type PayoutRow = Selectable<PayoutsTable>;
export type AttemptRow = Selectable<PayoutAttemptsTable>;

/** States in which a signed transfer may be on its way. */
export const UNDER_WAY = ["signed", "sent", "included"] as const satisfies readonly PayoutState[];

interface ChainRef {
  kind: ChainKind;
  chainId: number;
}

/** Inserts a payout and returns its id, or null if its key exists. */
export async function insertPayout(db: Db, row: Insertable<PayoutsTable>): Promise<number | null> {
  const made = await db
    .insertInto("payouts")
    .values(row)
    .onConflict((conflict) => conflict.column("key").doNothing())
    .returning("id")
    .executeTakeFirst();
  return made?.id ?? null;
}

export function findByKey(db: Db, key: string): Promise<PayoutRow | undefined> {
  return db.selectFrom("payouts").selectAll().where("key", "=", key).executeTakeFirst();
}

export function findPayout(db: Db, id: number): Promise<PayoutRow | undefined> {
  return db.selectFrom("payouts").selectAll().where("id", "=", id).executeTakeFirst();
}

/** Updates a payout if it is still in the state and round it was read in. Returns false if it is not. */
export async function movePayout(db: Db, from: PayoutRow, change: Updateable<PayoutsTable>): Promise<boolean> {
  const moved = await db
    .updateTable("payouts")
    .set(change)
    .where("id", "=", from.id)
    .where("state", "=", from.state)
    .where("round", "=", from.round)
    .executeTakeFirst();
  return moved.numUpdatedRows === 1n;
}

/** Sets when the payout is next due, whatever its state. */
export async function postpone(db: Db, id: number, due_at: number): Promise<void> {
  await db.updateTable("payouts").set({ due_at }).where("id", "=", id).execute();
}

/** Returns whether anything is owed on any chain. */
export async function hasOpen(db: Db): Promise<boolean> {
  const row = await db.selectFrom("payouts").select("id").where("ended_at", "is", null).limit(1).executeTakeFirst();
  return row !== undefined;
}

/**
 * Returns the number of open payouts, the time of the oldest request among them, and the number of failed ones not
 * retried.
 */
export async function countPayouts(db: Db): Promise<{ open: number; oldest: number | null; failed: number }> {
  const count = (of: ExpressionBuilder<Tables, "payouts">) => of.fn.countAll<number>().as("count");
  const open = await db
    .selectFrom("payouts")
    .select((of) => [count(of), of.fn.min("created_at").as("oldest")])
    .where("ended_at", "is", null)
    .executeTakeFirstOrThrow();
  const failed = await db.selectFrom("payouts").select(count).where("state", "=", "failed").executeTakeFirstOrThrow();
  return {
    open: Number(open.count),
    oldest: open.oldest === null ? null : Number(open.oldest),
    failed: Number(failed.count),
  };
}

/** Returns the number of payouts that are not paid: those that are open, and those that failed. */
export async function countUnpaid(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom("payouts")
    .select((of) => of.fn.countAll<number>().as("count"))
    .where("state", "<>", "settled")
    // Nobody is owed a nonce.
    .where((of) => of.or([of("ended_at", "is", null), of("purpose", "<>", "gap")]))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Returns the chains on which something is owed. */
export async function openChains(db: Db): Promise<ChainRef[]> {
  const rows = await db
    .selectFrom("payouts")
    .select(["chain", "chain_id"])
    .where("ended_at", "is", null)
    .groupBy(["chain", "chain_id"])
    .execute();
  return rows.map(({ chain, chain_id }) => ({ kind: chain, chainId: Number(chain_id) }));
}

/** Returns the open payouts of a chain in these states that are due, by nonce, then oldest first. */
export async function duePayouts(
  db: Db,
  { kind, chainId }: ChainRef,
  states: readonly PayoutState[],
  { now, limit }: { now: number; limit: number },
): Promise<PayoutRow[]> {
  return db
    .selectFrom("payouts")
    .selectAll()
    .where("chain", "=", kind)
    .where("chain_id", "=", chainId)
    .where("ended_at", "is", null)
    .where("state", "in", states)
    .where("due_at", "<=", now)
    .orderBy("nonce")
    .orderBy("id")
    .limit(limit)
    .execute();
}

/** Returns all payouts of a chain that are numbered or under way, whether due or not. */
export function begunPayouts(db: Db, { kind, chainId }: ChainRef): Promise<PayoutRow[]> {
  return db
    .selectFrom("payouts")
    .selectAll()
    .where("chain", "=", kind)
    .where("chain_id", "=", chainId)
    .where("ended_at", "is", null)
    .where("state", "in", ["numbered", ...UNDER_WAY])
    .orderBy("id")
    .execute();
}

/** Returns the nonces at or above `from` that were ever signed with or that a payout has. */
export async function takenNonces(
  db: Db,
  { kind, chainId }: ChainRef,
  payer: string,
  from: bigint,
): Promise<Set<bigint>> {
  const held = await db
    .selectFrom("payouts")
    .select("nonce")
    .where("chain", "=", kind)
    .where("chain_id", "=", chainId)
    .where("payer", "=", payer)
    .where("nonce", ">=", Number(from))
    .execute();
  const signed = await db
    .selectFrom("payout_attempts as attempt")
    .innerJoin("payouts as payout", "payout.id", "attempt.payout_id")
    .select("attempt.nonce")
    .where("payout.chain", "=", kind)
    .where("payout.chain_id", "=", chainId)
    .where("attempt.payer", "=", payer)
    .where("attempt.nonce", ">=", Number(from))
    .execute();
  return new Set([...held, ...signed].flatMap(({ nonce }) => (nonce === null ? [] : [BigInt(nonce)])));
}

/** Inserts an attempt and returns its id. */
export async function insertAttempt(db: Db, row: Insertable<PayoutAttemptsTable>): Promise<number> {
  const { id } = await db.insertInto("payout_attempts").values(row).returning("id").executeTakeFirstOrThrow();
  return id;
}

export function findAttempt(db: Db, hash: string): Promise<AttemptRow | undefined> {
  return db.selectFrom("payout_attempts").selectAll().where("hash", "=", hash).executeTakeFirst();
}

/** Returns the attempts of a payout that may still be included, newest first. */
export function liveAttempts(db: Db, payoutId: number): Promise<AttemptRow[]> {
  return db
    .selectFrom("payout_attempts")
    .selectAll()
    .where("payout_id", "=", payoutId)
    .where("state", "=", "live")
    .orderBy("id", "desc")
    .execute();
}

/** Ends all live attempts of a payout. `settledId` is the one that settled it, if any. */
export async function endAttempts(db: Db, payoutId: number, settledId: number | null): Promise<void> {
  await db
    .updateTable("payout_attempts")
    .set({ state: "dead" })
    .where("payout_id", "=", payoutId)
    .where("state", "=", "live")
    .where("id", "<>", settledId ?? 0)
    .execute();
  if (settledId === null) return;
  await db.updateTable("payout_attempts").set({ state: "settled" }).where("id", "=", settledId).execute();
}

/**
 * Returns the most that the payouts under way on a chain can still cost in fees: for each payout id, its highest live
 * fee.
 */
export async function feesUnderWay(db: Db, { kind, chainId }: ChainRef): Promise<Map<number, bigint>> {
  const rows = await db
    .selectFrom("payout_attempts as attempt")
    .innerJoin("payouts as payout", "payout.id", "attempt.payout_id")
    .select(["attempt.payout_id", "attempt.fee"])
    .where("payout.chain", "=", kind)
    .where("payout.chain_id", "=", chainId)
    .where("payout.ended_at", "is", null)
    .where("attempt.state", "=", "live")
    .execute();
  const fees = new Map<number, bigint>();
  for (const { payout_id, fee } of rows) {
    const known = fees.get(payout_id) ?? 0n;
    fees.set(payout_id, known > BigInt(fee) ? known : BigInt(fee));
  }
  return fees;
}

/** Returns the amount begun and the gas paid in a currency on a day. */
export async function readDay(db: Db, day: string, currency: string): Promise<{ amount: bigint; gas: bigint }> {
  const row = await db
    .selectFrom("payout_days")
    .select(["amount", "gas"])
    .where("day", "=", day)
    .where("ledger_currency", "=", currency)
    .executeTakeFirst();
  return { amount: BigInt(row?.amount ?? 0), gas: BigInt(row?.gas ?? 0) };
}

/** Adds to a day. Only the lease holder may call it, inside its transaction: it reads, then writes. */
export async function addToDay(
  db: Db,
  day: string,
  currency: string,
  { amount = 0n, gas = 0n }: { amount?: bigint; gas?: bigint },
): Promise<void> {
  const found = await readDay(db, day, currency);
  const row = { amount: String(found.amount + amount), gas: String(found.gas + gas) };
  await db
    .insertInto("payout_days")
    .values({ day, ledger_currency: currency, ...row })
    .onConflict((conflict) => conflict.columns(["day", "ledger_currency"]).doUpdateSet(row))
    .execute();
}

/** Filter of a list of payouts; all given conditions must match. */
export interface PayoutFilter {
  state?: PayoutState | undefined;
  open?: boolean | undefined;
  chain?: ChainKind | undefined;
  currency?: string | undefined;
  purpose?: PayoutsTable["purpose"] | undefined;
  before?: number | undefined;
}

/** Returns the payouts that match, newest first. */
export function listPayouts(db: Db, filter: PayoutFilter, limit: number): Promise<PayoutRow[]> {
  const { state, open, chain, currency, purpose, before } = filter;
  let query = db.selectFrom("payouts").selectAll().orderBy("id", "desc").limit(limit);
  if (state !== undefined) query = query.where("state", "=", state);
  if (open !== undefined) query = query.where("ended_at", open ? "is" : "is not", null);
  if (chain !== undefined) query = query.where("chain", "=", chain);
  if (currency !== undefined) query = query.where("currency", "=", currency);
  if (purpose !== undefined) query = query.where("purpose", "=", purpose);
  if (before !== undefined) query = query.where("id", "<", before);
  return query.execute();
}
