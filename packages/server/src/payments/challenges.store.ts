import type { Insertable, Kysely, Selectable } from "kysely";
import { Prepared } from "../db/prepared.ts";
import type { Tables } from "../db/tables.ts";
import type { PaymentChallengesTable } from "../db/tables-payments.ts";

type Db = Kysely<Tables>;
export type ChallengeRow = Selectable<PaymentChallengesTable>;

/** More than so many that are open are not looked through for one. */
const CANDIDATES = 50;

export async function insertChallenge(db: Db, challenge: Insertable<PaymentChallengesTable>): Promise<void> {
  await db.insertInto("payment_challenges").values(challenge).execute();
}

const BY_ID = new Prepared((db, of: { id: string }) =>
  db.selectFrom("payment_challenges").selectAll().where("payment_id", "=", of.id),
);

export function findChallenge(db: Db, paymentId: string): Promise<ChallengeRow | undefined> {
  return BY_ID.first(db, { id: paymentId });
}

/** Those that were given to somebody for something by then and are not used, the newest first. */
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

/** Of those ids, which were given out. */
export async function knownChallenges(db: Db, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await db.selectFrom("payment_challenges").select("payment_id").where("payment_id", "in", ids).execute();
  return rows.map(({ payment_id }) => payment_id);
}

const USE = new Prepared((db, { id, by }: { id: string; by: number }) =>
  db
    .updateTable("payment_challenges")
    .set({ used_by: by })
    .where("payment_id", "=", id)
    .where((eb) => eb.or([eb("used_by", "is", null), eb("used_by", "=", by)])),
);

/** False when another payment has used it. */
export async function useChallenge(db: Db, paymentId: string, by: number): Promise<boolean> {
  return (await USE.changes(db, { id: paymentId, by })) === 1;
}

/** Forgets those made before, at most so many; those that a payment has answered only when they were made before `usedBefore`. */
export async function forgetChallenges(
  db: Db,
  { madeBefore, usedBefore }: { readonly madeBefore: number; readonly usedBefore: number },
  most: number,
): Promise<void> {
  await db
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
    .execute();
}
