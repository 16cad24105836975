import { sql } from "kysely";
import type { Db } from "../db/db.ts";
import { lockRows } from "../db/dialect.ts";
import { Prepared } from "../db/statements/prepared.ts";
import { SizedStatement } from "../db/statements/sized-statement.ts";
import type { Span } from "./span.ts";

/** A channel's counter and a consumer's cursor in it. */
export interface Progress {
  channelId: number;
  lastSeq: number;
  /** 0: the consumer has no cursor there yet. */
  seq: number;
}

/** Returns the consumer's progress in the channels after this id, including deleted ones, in the order of their ids. */
export function progressAfter(db: Db, purpose: string, channelId: number, limit: number): Promise<Progress[]> {
  return db
    .selectFrom("channels")
    .leftJoin("channel_cursors", (join) =>
      join.onRef("channel_cursors.channel_id", "=", "channels.id").on("channel_cursors.purpose", "=", purpose),
    )
    .select((eb) => [
      "channels.id as channelId",
      "channels.last_seq as lastSeq",
      eb.fn.coalesce("channel_cursors.seq", eb.lit(0)).as("seq"),
    ])
    .where("channels.id", ">", channelId)
    .orderBy("channels.id")
    .limit(limit)
    .execute();
}

/** Returns the consumer's progress in these channels. */
export function progressIn(db: Db, purpose: string, channelIds: readonly number[]): Promise<Progress[]> {
  return PROGRESS.run(
    db,
    channelIds.map((id) => ({ id })),
    [purpose],
  );
}

const PROGRESS = new SizedStatement({ id: 0 }, (db, rows) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom("channels")
        .select(["id", "last_seq"])
        .where(
          "id",
          "in",
          rows.map(({ id }) => id),
        )
        .as("channels"),
    )
    .leftJoin("channel_cursors", (join) =>
      join.onRef("channel_cursors.channel_id", "=", "channels.id").on("channel_cursors.purpose", "=", ""),
    )
    .select((eb) => [
      "channels.id as channelId",
      "channels.last_seq as lastSeq",
      eb.fn.coalesce("channel_cursors.seq", eb.lit(0)).as("seq"),
    ])
    .compile(),
);

/** Returns the seq of the channel's first message after this one; undefined if only other events follow. */
export async function nextMessageSeq(db: Db, channelId: number, after: number): Promise<number | undefined> {
  return (await NEXT_MESSAGE.first(db, { channelId, after }))?.seq;
}

const NEXT_MESSAGE = new Prepared((db, of: { channelId: number; after: number }) =>
  db
    .selectFrom("messages")
    .select("seq")
    .where("channel_id", "=", of.channelId)
    .where("seq", ">", of.after)
    .orderBy("seq")
    .limit(1),
);

/**
 * Advances the cursors that are still where they were read (compare-and-set). Returns those of the spans, which belong
 * to different channels, that no other node has handled. Locks the cursors in the order of their channels.
 */
export async function moveCursors(db: Db, purpose: string, spans: readonly Span[]): Promise<Span[]> {
  const ordered = spans.toSorted((a, b) => a.channelId - b.channelId);
  const ids = ordered.map(({ channelId }) => ({ channel_id: channelId }));
  const locked = await LOCK.run<{ channel_id: number; seq: number }>(db, ids, [purpose]);
  const at = new Map(locked.map(({ channel_id, seq }) => [channel_id, seq]));
  const rowOf = ({ channelId, upTo }: Span) => ({ purpose, channel_id: channelId, seq: upTo });
  const moved = ordered.filter(({ channelId, after }) => at.get(channelId) === after);
  await MOVE.run(db, moved.map(rowOf));
  const first = ordered.filter(({ channelId, after }) => after === 0 && !at.has(channelId));
  const made = new Set((await MAKE.run<{ channel_id: number }>(db, first.map(rowOf))).map((row) => row.channel_id));
  return [...moved, ...first.filter(({ channelId }) => made.has(channelId))];
}

const LOCK = new SizedStatement({ channel_id: 0 }, (db, rows) => {
  const ids = rows.map(({ channel_id }) => channel_id);
  const query = db
    .selectFrom("channel_cursors")
    .select(["channel_id", "seq"])
    .where("channel_id", "in", ids)
    .where("purpose", "=", "")
    .orderBy("channel_id");
  return lockRows(db, query).compile();
});

const CURSOR = { purpose: "", channel_id: 0, seq: 0 };

const MOVE = new SizedStatement(CURSOR, (db, rows) =>
  db
    .insertInto("channel_cursors")
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(["purpose", "channel_id"]).doUpdateSet((eb) => ({ seq: eb.ref("excluded.seq") })),
    )
    .compile(),
);

/** Another node may make the same cursor at the same time: one of them is answered without it. */
const MAKE = new SizedStatement(CURSOR, (db, rows) =>
  db
    .insertInto("channel_cursors")
    .values(rows)
    .onConflict((conflict) => conflict.columns(["purpose", "channel_id"]).doNothing())
    .returning("channel_id")
    .compile(),
);

/** Moves the consumer's cursors to the ends of all channels. */
export async function moveToEnds(db: Db, purpose: string): Promise<void> {
  await sql`insert into channel_cursors (purpose, channel_id, seq) select ${purpose}, id, last_seq from channels where last_seq > 0
    on conflict (purpose, channel_id) do update set seq = excluded.seq`.execute(db);
}
