import type { Selectable } from "kysely";
import type { Db } from "../db/db.ts";
import type { VerificationCodesTable } from "../db/tables/claims.ts";
import type { CodePurpose } from "./post-sentence.ts";

/** A code that was given out. */
export type IssuedCodeRow = Omit<Selectable<VerificationCodesTable>, keyof CodePurpose> &
  CodePurpose & { issued_at: number; expires_at: number };

/** Adds codes to the pool and skips existing ones. Returns how many are new. */
export async function insertCodes(db: Db, codes: readonly string[], now: number): Promise<number> {
  const rows = await db
    .insertInto("verification_codes")
    .values(codes.map((code) => ({ code, created_at: now, tries: 0 })))
    .onConflict((conflict) => conflict.column("code").doNothing())
    .executeTakeFirst();
  return Number(rows.numInsertedOrUpdatedRows ?? 0n);
}

/**
 * Takes the first waiting code at or after `from` out of the pool, in one conditional update: of concurrent callers,
 * one gets it. Returns null if another caller was quicker or none waits there.
 */
export async function takeCode(
  db: Db,
  from: string,
  issue: { issued_at: number; expires_at: number; token_hash: string; network: string | null } & CodePurpose,
): Promise<string | null> {
  const row = await db
    .updateTable("verification_codes")
    .set(issue)
    .where("code", "=", (eb) =>
      eb
        .selectFrom("verification_codes as waiting")
        .select("waiting.code")
        .where("waiting.issued_at", "is", null)
        .where("waiting.code", ">=", from)
        .orderBy("waiting.code")
        .limit(1),
    )
    .where("issued_at", "is", null)
    .returning("code")
    .executeTakeFirst();
  return row?.code ?? null;
}

export async function countWaiting(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom("verification_codes")
    .select((eb) => eb.fn.countAll<number | string>().as("count"))
    .where("issued_at", "is", null)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Counts codes that were given out: those that can still be redeemed, and all that are still stored. */
export async function countIssued(db: Db, now: number): Promise<{ open: number; used: number; expired: number }> {
  const rows = await db
    .selectFrom("verification_codes")
    .select((eb) => [
      eb.fn.countAll<number | string>().as("all"),
      eb.fn.count<number | string>("used_at").as("used"),
      eb.fn
        .countAll<number | string>()
        .filterWhere((row) => row.and([row("used_at", "is", null), row("expires_at", ">", now)]))
        .as("open"),
    ])
    .where("issued_at", "is not", null)
    .executeTakeFirstOrThrow();
  const [all, used, open] = [Number(rows.all), Number(rows.used), Number(rows.open)];
  return { open, used, expired: all - used - open };
}

/** Returns a code that was given out; null if it was not, or has been deleted. */
export async function findIssued(db: Db, code: string): Promise<IssuedCodeRow | null> {
  const row = await db
    .selectFrom("verification_codes")
    .selectAll()
    .where("code", "=", code)
    .where("issued_at", "is not", null)
    .executeTakeFirst();
  return (row as IssuedCodeRow | undefined) ?? null;
}

/** Counts a try if the code is open and has tries left. Returns false otherwise. */
export async function takeTry(db: Db, code: string, most: number, now: number): Promise<boolean> {
  const row = await db
    .updateTable("verification_codes")
    .set((eb) => ({ tries: eb("tries", "+", 1) }))
    .where("code", "=", code)
    .where("used_at", "is", null)
    .where("expires_at", ">", now)
    .where("tries", "<", most)
    .returning("code")
    .executeTakeFirst();
  return row !== undefined;
}

export async function giveBackTry(db: Db, code: string): Promise<void> {
  await db
    .updateTable("verification_codes")
    .set((eb) => ({ tries: eb("tries", "-", 1) }))
    .where("code", "=", code)
    .where("tries", ">", 0)
    .execute();
}

/** Uses the code up if it still can be. Of concurrent callers, one succeeds. */
export async function consumeCode(db: Db, code: string, now: number): Promise<boolean> {
  const row = await db
    .updateTable("verification_codes")
    .set({ used_at: now })
    .where("code", "=", code)
    .where("used_at", "is", null)
    .where("expires_at", ">", now)
    .returning("code")
    .executeTakeFirst();
  return row !== undefined;
}

/** Deletes at most `most` codes that ended before a time; returns how many. */
export async function forgetCodes(db: Db, endedBefore: number, most: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom("verification_codes")
    .where("code", "in", (eb) =>
      eb
        .selectFrom("verification_codes as old")
        .select("old.code")
        .where("old.expires_at", "<", endedBefore)
        .orderBy("old.expires_at")
        .limit(most),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}
