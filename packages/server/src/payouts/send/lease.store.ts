import type { Db } from "../../db/db.ts";

/** State of the lease and of the stop switch. */
export interface LeaseRow {
  holder: string | null;
  fence: number;
  until: number;
  stopped_at: number | null;
  stopped_by: string | null;
  epoch: string;
}

export function readLease(db: Db): Promise<LeaseRow> {
  return db
    .selectFrom("payout_lease")
    .select(["holder", "fence", "until", "stopped_at", "stopped_by", "epoch"])
    .where("id", "=", 1)
    .executeTakeFirstOrThrow();
}

/** Takes the lease if it is free at that time. Returns false if another server holds it or was faster. */
export async function takeLease(db: Db, found: LeaseRow, holder: string, now: number, until: number): Promise<boolean> {
  const taken = await db
    .updateTable("payout_lease")
    .set({ holder, fence: found.fence + 1, until })
    .where("id", "=", 1)
    .where("fence", "=", found.fence)
    .where((eb) => eb.or([eb("holder", "is", null), eb("until", "<=", now)]))
    .executeTakeFirst();
  return taken.numUpdatedRows === 1n;
}

/**
 * Extends the lease with that fence. Returns false if another server holds it now. Inside a transaction the row stays
 * locked, so nobody can take the lease until the transaction ends.
 */
export async function keepLease(db: Db, fence: number, until: number): Promise<boolean> {
  const kept = await db
    .updateTable("payout_lease")
    .set({ until })
    .where("id", "=", 1)
    .where("fence", "=", fence)
    .where("holder", "is not", null)
    .executeTakeFirst();
  return kept.numUpdatedRows === 1n;
}

/** Releases the lease with that fence, so that the next holder need not wait for it to expire. */
export async function dropLease(db: Db, fence: number): Promise<void> {
  await db
    .updateTable("payout_lease")
    .set({ holder: null, until: 0 })
    .where("id", "=", 1)
    .where("fence", "=", fence)
    .execute();
}

export async function setStopped(db: Db, stopped: { at: number; by: string } | null, epoch: string): Promise<void> {
  await db
    .updateTable("payout_lease")
    .set({ stopped_at: stopped?.at ?? null, stopped_by: stopped?.by ?? null, ...(stopped === null ? { epoch } : {}) })
    .where("id", "=", 1)
    .execute();
}
