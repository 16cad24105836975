import { sql } from "kysely";
import type { Db } from "../db/db.ts";
import { SizedStatement } from "../db/statements/sized-statement.ts";
import { type Span, SpanStatement } from "../event-log/span.ts";

const NOTHING = { total_points: 0, message_count: 0, online_ms: 0, counted_until: null };

/** Adds points earned by activity; returns the total ever earned. */
export async function addEarned(db: Db, userId: number, points: number): Promise<number> {
  const row = await db
    .insertInto("honor")
    .values({ ...NOTHING, user_id: userId, total_points: points })
    .onConflict((conflict) =>
      conflict.column("user_id").doUpdateSet((eb) => ({ total_points: eb("honor.total_points", "+", points) })),
    )
    .returning("total_points")
    .executeTakeFirstOrThrow();
  return row.total_points;
}

interface Counted {
  userId: number;
  count: number;
  /** When the user wrote the first and the last of them, in epoch milliseconds. */
  first: number;
  last: number;
}

interface CountRow {
  user_id: number;
  messages: number | string;
  oldest: number;
  newest: number;
}

const COUNT = new SpanStatement(
  (isWithin) => sql<CountRow>`
    select user_id, count(*) as messages, min(created_at) as oldest, max(created_at) as newest from messages
    where ${isWithin} and sender_type = 'user' and user_id is not null group by user_id`,
);

/** Counts messages by user in ranges of channels' message numbers, ordered by user id. */
export async function countMessages(db: Db, spans: readonly Span[]): Promise<Counted[]> {
  const byUser = new Map<number, Counted>();
  for (const { user_id: userId, messages, oldest, newest } of await COUNT.all(db, spans)) {
    const known = byUser.get(userId);
    byUser.set(userId, {
      userId,
      count: Number(messages) + (known?.count ?? 0),
      first: Math.min(oldest, known?.first ?? oldest),
      last: Math.max(newest, known?.last ?? newest),
    });
  }
  return [...byUser.values()].sort((a, b) => a.userId - b.userId);
}

const ADD_MESSAGES = new SizedStatement({ ...NOTHING, user_id: 0 }, (db, rows) =>
  db
    .insertInto("honor")
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .column("user_id")
        .doUpdateSet((eb) => ({ message_count: eb("honor.message_count", "+", eb.ref("excluded.message_count")) })),
    )
    .returning(["user_id", "message_count"])
    .compile(),
);

/** Adds to the users' message counts, at most once per user; returns the new counts. */
export function addMessages(
  db: Db,
  counts: readonly { userId: number; count: number }[],
): Promise<{ user_id: number; message_count: number }[]> {
  return ADD_MESSAGES.run(
    db,
    counts.map(({ userId, count }) => ({ ...NOTHING, user_id: userId, message_count: count })),
  );
}

/** Online time of `ms` milliseconds that ended at `until` (epoch milliseconds). */
export interface OnlineTime {
  userId: number;
  ms: number;
  until: number;
}

/**
 * Adds online times, at most one per user, without any part that a node has already counted. Returns each user's total.
 * A stored end later than `latest` was written before the clock was set back, and is reset.
 */
export async function addOnline(
  db: Db,
  times: readonly OnlineTime[],
  latest: number,
): Promise<{ user_id: number; online_ms: number }[]> {
  const counted = sql`honor.counted_until`;
  return db
    .insertInto("honor")
    .values(
      times.map(({ userId, ms, until }) => ({ ...NOTHING, user_id: userId, online_ms: ms, counted_until: until })),
    )
    .onConflict((conflict) =>
      conflict.column("user_id").doUpdateSet({
        online_ms: sql`honor.online_ms + case
          when ${counted} is null or ${counted} <= excluded.counted_until - excluded.online_ms then excluded.online_ms
          when ${counted} < excluded.counted_until then excluded.counted_until - ${counted}
          else 0 end`,
        counted_until: sql`case
          when ${counted} > excluded.counted_until and ${counted} <= ${latest} then ${counted}
          else excluded.counted_until end`,
      }),
    )
    .returning(["user_id", "online_ms"])
    .execute();
}

/** A user's activity, balance and invitations. */
export interface HonorRow {
  total_points: number;
  message_count: number;
  online_ms: number;
  invite_count: number;
}

export async function findHonor(db: Db, userId: number): Promise<HonorRow> {
  const row = await db
    .selectFrom("users")
    .leftJoin("honor", "honor.user_id", "users.id")
    .select((eb) => [
      "honor.total_points",
      "honor.message_count",
      "honor.online_ms",
      eb
        .selectFrom("users as guest")
        .select((guest) => guest.fn.countAll<number>().as("n"))
        .where("guest.invited_by", "=", userId)
        .as("invite_count"),
    ])
    .where("users.id", "=", userId)
    .executeTakeFirst();
  return {
    total_points: row?.total_points ?? 0,
    message_count: row?.message_count ?? 0,
    online_ms: row?.online_ms ?? 0,
    invite_count: Number(row?.invite_count ?? 0),
  };
}

/** Returns a user's spendable balance (decimal text; null if they never had any) and the total they ever earned. */
export async function findScore(
  db: Db,
  userId: number,
  account: string,
  currency: string,
): Promise<{ balance: string | null; total_points: number }> {
  const row = await db
    .selectFrom("users")
    .leftJoin("honor", "honor.user_id", "users.id")
    .leftJoin("ledger_balances", (join) =>
      join.on("ledger_balances.account", "=", account).on("ledger_balances.currency", "=", currency),
    )
    .select(["ledger_balances.balance", "honor.total_points"])
    .where("users.id", "=", userId)
    .executeTakeFirst();
  return { balance: row?.balance ?? null, total_points: row?.total_points ?? 0 };
}
