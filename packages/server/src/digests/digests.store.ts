import { type Insertable, type Selectable, sql } from "kysely";
import type { Db } from "../db/db.ts";
import { lockRows } from "../db/dialect.ts";
import { PaddedStatement } from "../db/statements/padded-statement.ts";
import { SizedStatement } from "../db/statements/sized-statement.ts";
import type { DigestsTable } from "../db/tables/digests.ts";

export type DigestRow = Selectable<DigestsTable>;

/** Somebody who gets digests. */
interface Reader {
  user_id: number;
  digest: "away" | "daily";
  zone: string | null;
}

const READERS = new PaddedStatement<Reader>((db, userIds) =>
  db
    .selectFrom("users")
    .innerJoin("confirmed_addresses as confirmed", "confirmed.user_id", "users.id")
    .leftJoin("user_preferences as own", "own.user_id", "users.id")
    .select(["users.id as user_id", "own.zone"])
    .select((eb) => eb.fn.coalesce("own.digest", sql<"away" | "daily">`'away'`).as("digest"))
    .where("users.id", "in", userIds)
    .where("users.erased_at", "is", null)
    .where((eb) => eb(eb.fn.coalesce("own.digest", sql<string>`'away'`), "<>", "off"))
    .orderBy("users.id"),
);

/** Returns those of the users who have confirmed an address and want digests, by their ids. */
export const readersAmong = (db: Db, userIds: readonly number[]): Promise<Reader[]> => READERS.all(db, userIds);

const BLANK: Insertable<DigestsTable> = { user_id: 0, token: "", pending: 1, since: 0, due_at: 0, sent_at: null };

/** At most one digest in this time for each user. */
export const INTERVAL_MS = 4 * 60 * 60_000;

const NOTE = new SizedStatement(BLANK, (db, rows) =>
  db
    .insertInto("digests")
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .column("user_id")
        .doUpdateSet((eb) => ({
          pending: eb.lit(1),
          since: eb.ref("excluded.since"),
          due_at: sql<number>`case when digests.sent_at + ${sql.lit(INTERVAL_MS)} > excluded.due_at
            then digests.sent_at + ${sql.lit(INTERVAL_MS)} else excluded.due_at end`,
        }))
        .where((eb) => eb("digests.pending", "=", eb.lit(0))),
    )
    .compile(),
);

/**
 * Notes that these users have missed something. One that has a digest due keeps its time, but its row is locked all the
 * same: a digest that is being decided is decided before or after, so it lists the notification, or the next one does.
 */
export async function noteMissed(
  db: Db,
  rows: readonly Pick<DigestRow, "user_id" | "token" | "since" | "due_at">[],
): Promise<void> {
  await NOTE.run(
    db,
    rows.map((row) => ({ ...BLANK, ...row })),
  );
}

/** Returns the users whose digests are due, the oldest first. */
export async function dueDigests(db: Db, now: number, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom("digests")
    .select("user_id")
    .where("pending", "=", 1)
    .where("due_at", "<=", now)
    .orderBy("due_at")
    .limit(limit)
    .execute();
  return rows.map(({ user_id }) => user_id);
}

/** Locks a digest that is due, and returns it; undefined if it is not due any more. Call it in a transaction. */
export async function lockDue(db: Db, userId: number, now: number): Promise<DigestRow | undefined> {
  const due = db
    .selectFrom("digests")
    .selectAll()
    .where("user_id", "=", userId)
    .where("pending", "=", 1)
    .where("due_at", "<=", now);
  return lockRows(db, due).executeTakeFirst();
}

/** Changes a digest; `pending` 0 ends it until something is missed again. */
export async function updateDigest(
  db: Db,
  userId: number,
  change: Partial<Pick<DigestRow, "pending" | "due_at" | "sent_at" | "since">>,
): Promise<void> {
  await db.updateTable("digests").set(change).where("user_id", "=", userId).execute();
}

/** Ends the digests that were due until a time. Returns how many. */
export async function endDigestsUntil(db: Db, until: number): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable("digests")
    .set({ pending: 0 })
    .where("pending", "=", 1)
    .where("due_at", "<=", until)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

export function findDigest(db: Db, userId: number): Promise<DigestRow | undefined> {
  return db.selectFrom("digests").selectAll().where("user_id", "=", userId).executeTakeFirst();
}

/** Returns the user whose digests this token ends. */
export async function userOfToken(db: Db, token: string): Promise<number | undefined> {
  return (await db.selectFrom("digests").select("user_id").where("token", "=", token).executeTakeFirst())?.user_id;
}

export async function deleteDigest(db: Db, userId: number): Promise<void> {
  await db.deleteFrom("digests").where("user_id", "=", userId).execute();
}

/** Returns when the user used one of their sessions last, to the minute; 0: they have none. */
export async function lastSeen(db: Db, userId: number): Promise<number> {
  const row = await db
    .selectFrom("sessions")
    .select((eb) => eb.fn.max("last_seen_at").as("at"))
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return Number(row?.at ?? 0);
}
