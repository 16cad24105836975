import { type Selectable, sql } from "kysely";
import type { Db } from "../../db/db.ts";
import { PaddedStatement } from "../../db/statements/padded-statement.ts";
import type { PacketsTable } from "../../db/tables/packets.ts";
import type { ReactionsTable } from "../../db/tables/reactions.ts";
import type { MessageRow } from "../../event-log/message-json.ts";

/** Returns messages of a channel after `seq`, in order. Those of threads are among them. */
export const messagesAfter = (db: Db, channelId: number, seq: number, limit: number): Promise<MessageRow[]> =>
  db
    .selectFrom("messages")
    .selectAll()
    .where("channel_id", "=", channelId)
    .where("seq", ">", seq)
    .orderBy("seq")
    .limit(limit)
    .execute();

/** Returns messages of a channel after `seq` that are no replies in a thread of this channel, in order. */
export const rootsAfter = (db: Db, channelId: number, seq: number, limit: number): Promise<MessageRow[]> =>
  db
    .selectFrom("messages as m")
    .selectAll("m")
    .where("m.channel_id", "=", channelId)
    .where("m.seq", ">", seq)
    .where((eb) =>
      eb.or([
        eb("m.thread_root_id", "is", null),
        // The root of a thread may be gone for its age.
        eb.not(eb.exists(eb.selectFrom("messages as r").select("r.id").whereRef("r.id", "=", "m.thread_root_id"))),
      ]),
    )
    .orderBy("m.seq")
    .limit(limit)
    .execute();

/** Returns the replies in a thread after `seq`, in order. */
export const repliesAfter = (db: Db, rootId: number, seq: number, limit: number): Promise<MessageRow[]> =>
  db
    .selectFrom("messages")
    .selectAll()
    .where("thread_root_id", "=", rootId)
    .where("seq", ">", seq)
    .orderBy("seq")
    .limit(limit)
    .execute();

const REACTIONS = new PaddedStatement<Selectable<ReactionsTable>>((db, ids) =>
  db
    .selectFrom("reactions")
    .selectAll()
    .where("message_id", "in", ids)
    .orderBy("message_id")
    .orderBy("created_at")
    .orderBy("actor_kind")
    .orderBy("actor_id"),
);
const MESSAGES = new PaddedStatement<MessageRow>((db, ids) =>
  db.selectFrom("messages").selectAll().where("id", "in", ids),
);
export type PacketFacts = Pick<Selectable<PacketsTable>, "id" | "count" | "total_amount" | "currency" | "decimals">;
const PACKETS = new PaddedStatement<PacketFacts>((db, ids) =>
  db.selectFrom("packets").select(["id", "count", "total_amount", "currency", "decimals"]).where("id", "in", ids),
);

/** Returns the reactions to these messages, the oldest of each first. */
export const reactionsTo = (db: Db, messageIds: readonly number[]) => REACTIONS.all(db, messageIds);

export const messagesOf = (db: Db, ids: readonly number[]) => MESSAGES.all(db, ids);

export const packetsOf = (db: Db, ids: readonly number[]) => PACKETS.all(db, ids);

/**
 * Returns the messages of a channel whose sender wrote another one in the same millisecond, with times that differ: each is
 * at least a millisecond after the one before by the same sender.
 */
export async function timesApart(db: Db, channelId: number): Promise<Map<number, number>> {
  const { rows } = await sql<{ id: number; at: number | string }>`
    select id, at from (
      select id, created_at, place + max(created_at - place) over (
        partition by sender_type, user_id, agent_id, sender_name order by place
      ) as at from (
        select id, created_at, sender_type, user_id, agent_id, sender_name, row_number() over (
          partition by sender_type, user_id, agent_id, sender_name order by seq
        ) as place from messages where channel_id = ${channelId}
      ) as numbered
    ) as moved where at <> created_at`.execute(db);
  return new Map(rows.map(({ id, at }) => [Number(id), Number(at)]));
}
