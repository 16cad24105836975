import type { Kysely } from "kysely";
import type { Tables } from "../../db/tables/tables.ts";

/** Returns a channel's latest speakers, newest first. */
export function newestSpeakers(db: Kysely<Tables>, channelId: number, limit: number) {
  return db
    .selectFrom("messages")
    .select(["seq", "sender_type", "agent_id", "sender_name", "created_at"])
    .where("channel_id", "=", channelId)
    .orderBy("seq", "desc")
    .limit(limit)
    .execute();
}

/** Returns the subjects of the channel's clears since a time. */
export async function clearsSince(db: Kysely<Tables>, channelId: number, since: number): Promise<string[]> {
  const rows = await db
    .selectFrom("control_log")
    .select("subject")
    .where("kind", "=", "guard_cleared")
    .where("subject", "like", `${channelId}:%`)
    .where("created_at", ">=", since)
    .execute();
  return rows.map((row) => row.subject);
}

/** Returns the agent that last spoke under a name among a channel's newest messages. */
export async function lastSpeaker(
  db: Kysely<Tables>,
  channelId: number,
  name: string,
  among: number,
): Promise<number | null> {
  const row = await db
    .selectFrom("messages")
    .select("agent_id")
    .where("channel_id", "=", channelId)
    .where("sender_type", "=", "agent")
    .where("sender_name", "=", name)
    .where((eb) =>
      eb(
        "seq",
        ">",
        eb
          .selectFrom("channels")
          .select((of) => of("channels.last_seq", "-", among).as("from"))
          .where("channels.id", "=", channelId),
      ),
    )
    .orderBy("seq", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.agent_id ?? null;
}
