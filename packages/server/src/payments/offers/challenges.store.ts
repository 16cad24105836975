import { type Insertable, type Selectable, sql } from "kysely";
import type { Db } from "../../db/db.ts";
import { lockRows } from "../../db/dialect.ts";
import { Prepared } from "../../db/statements/prepared.ts";
import type { PaymentChallengesTable } from "../../db/tables/payments.ts";
import type { AgentIdentity, UserIdentity } from "../../http/identity.ts";

export type ChallengeRow = Selectable<PaymentChallengesTable>;

/** The `principal` of all guests, who are indistinguishable. */
export const GUEST_PRINCIPAL = "g";

/** At most this many open challenges are searched. */
const CANDIDATES = 50;

/** A challenge's asset as the unique index of exact amounts stores it. */
const ASSET = sql<string>`coalesce(token_address, '')`;
const HAS_TAIL = sql<boolean>`amount <> price`;

/** Stores a challenge; returns false if another one has its exact amount. */
export async function insertChallenge(db: Db, challenge: Insertable<PaymentChallengesTable>): Promise<boolean> {
  const result = await db
    .insertInto("payment_challenges")
    .values(challenge)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
}

const BY_ID = new Prepared((db, of: { id: string }) =>
  db.selectFrom("payment_challenges").selectAll().where("payment_id", "=", of.id),
);

export function findChallenge(db: Db, paymentId: string): Promise<ChallengeRow | undefined> {
  return BY_ID.first(db, { id: paymentId });
}

/** An amount in one asset to one recipient. */
export type ExactAmount = Pick<ChallengeRow, "chain" | "chain_id" | "recipient" | "amount"> & {
  /** null: the native coin. */
  readonly token_address: string | null;
};

const BY_AMOUNT = new Prepared((db, of: Omit<ExactAmount, "token_address"> & { asset: string }) =>
  db
    .selectFrom("payment_challenges")
    .selectAll()
    .where("chain", "=", of.chain)
    .where("chain_id", "=", of.chain_id)
    .where("recipient", "=", of.recipient)
    .where(ASSET, "=", of.asset)
    .where("amount", "=", of.amount)
    .where(HAS_TAIL),
);

/** Returns the challenge with a tail that has this amount. */
export function findByAmount(db: Db, { token_address, ...of }: ExactAmount): Promise<ChallengeRow | undefined> {
  return BY_AMOUNT.first(db, { ...of, asset: token_address ?? "" });
}

/**
 * Returns stored amounts above a price, up to `most`, for that recipient and asset. Both have the same number of
 * digits.
 */
export async function takenAmounts(
  db: Db,
  { token_address, chain, chain_id, recipient, amount: price }: ExactAmount,
  most: string,
): Promise<Set<string>> {
  const rows = await db
    .selectFrom("payment_challenges")
    .select("amount")
    .where("chain", "=", chain)
    .where("chain_id", "=", chain_id)
    .where("recipient", "=", recipient)
    .where(ASSET, "=", token_address ?? "")
    .where("amount", ">", price)
    .where("amount", "<=", most)
    .where(HAS_TAIL)
    .execute();
  return new Set(rows.map(({ amount }) => amount));
}

const WITH_TAIL = new Prepared((db, of: { principal: string; since: number }) =>
  db
    .selectFrom("payment_challenges")
    .select((eb) => eb.fn.countAll<number | string>().as("n"))
    .where("principal", "=", of.principal)
    .where("used_by", "is", null)
    .where("created_at", ">", of.since)
    .where(HAS_TAIL),
);

/** Locks the row of an account until the transaction ends: its challenges are made one after the other, on all nodes. */
export async function lockPayer(db: Db, payer: UserIdentity | AgentIdentity): Promise<void> {
  if (payer.kind === "user")
    await lockRows(db, db.selectFrom("users").select("id").where("id", "=", payer.userId)).execute();
  else await lockRows(db, db.selectFrom("agents").select("id").where("id", "=", payer.agentId)).execute();
}

/** Returns how many unused challenges with a tail this caller got since a time. */
export async function countTails(db: Db, principal: string, since: number): Promise<number> {
  return Number((await WITH_TAIL.first(db, { principal, since }))?.n ?? 0);
}

/** Returns the unused challenges of a caller for a resource up to a time, newest first. */
export function openChallenges(
  db: Db,
  of: { readonly resource: string; readonly principal: string; readonly until: number },
): Promise<ChallengeRow[]> {
  return db
    .selectFrom("payment_challenges")
    .selectAll()
    .where("resource", "=", of.resource)
    .where("principal", "=", of.principal)
    .where("used_by", "is", null)
    .where("created_at", "<=", of.until)
    .orderBy("created_at", "desc")
    .limit(CANDIDATES)
    .execute();
}

/** Extends an unused challenge; returns false if a payment has answered it meanwhile. */
export async function renewChallenge(db: Db, paymentId: string, expiresAt: number): Promise<boolean> {
  const result = await db
    .updateTable("payment_challenges")
    .set({ expires_at: expiresAt })
    .where("payment_id", "=", paymentId)
    .where("used_by", "is", null)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Marks these ids of guests' challenges as public: everyone can read them on a chain. */
export async function revealGuests(db: Db, ids: readonly string[], now: number): Promise<void> {
  await db
    .updateTable("payment_challenges")
    .set({ revealed_at: now })
    .where("payment_id", "in", ids)
    .where("principal", "=", GUEST_PRINCIPAL)
    .where("revealed_at", "is", null)
    .execute();
}

const USE = new Prepared((db, { id, by }: { id: string; by: number }) =>
  db
    .updateTable("payment_challenges")
    .set({ used_by: by })
    .where("payment_id", "=", id)
    .where((eb) => eb.or([eb("used_by", "is", null), eb("used_by", "=", by)])),
);

/** Marks a challenge as used; returns false if another payment has used it. */
export async function useChallenge(db: Db, paymentId: string, by: number): Promise<boolean> {
  return (await USE.changes(db, { id: paymentId, by })) === 1;
}

/**
 * Deletes up to `most` challenges made before `madeBefore`; those answered by a payment only if made before `usedBefore`.
 * Returns the number deleted.
 */
export async function forgetChallenges(
  db: Db,
  { madeBefore, usedBefore }: { readonly madeBefore: number; readonly usedBefore: number },
  most: number,
): Promise<number> {
  const result = await db
    .deleteFrom("payment_challenges")
    .where("payment_id", "in", (old) =>
      old
        .selectFrom("payment_challenges")
        .select("payment_id")
        .where("created_at", "<", madeBefore)
        .where((eb) => eb.or([eb("used_by", "is", null), eb("created_at", "<", usedBefore)]))
        .orderBy("created_at")
        .limit(most),
    )
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}
