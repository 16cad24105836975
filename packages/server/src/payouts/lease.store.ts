import type { Kysely } from "kysely";
import type { Tables } from "../db/tables.ts";

type Db = Kysely<Tables>;

/** How things stand with the lease and the switch. */
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

/** Takes the lease when nobody has it at that time. False: somebody has, or was faster. */
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
 * Prolongs the lease of that fence. False: it is another's now. Inside a transaction nobody takes it until that ends: the row is held.
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

/** Gives the lease of that fence back, so that the next one need not wait for its end. */
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
