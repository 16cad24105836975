import type { Db } from "../../db/db.ts";
import { afterAgent, CLEAR, type GuardState } from "./loop-guard-rules.ts";

/** Returns a channel's latest speakers, newest first. */
export function newestSpeakers(db: Db, channelId: number, limit: number) {
  return db
    .selectFrom("messages")
    .select(["seq", "sender_type", "agent_id", "sender_name", "created_at"])
    .where("channel_id", "=", channelId)
    .orderBy("seq", "desc")
    .limit(limit)
    .execute();
}

/** Returns the state after messages, newest first, leaving out those up to a time. */
export function stateAfter(rows: Awaited<ReturnType<typeof newestSpeakers>>, since: number): GuardState {
  let state = CLEAR;
  for (const row of rows.toReversed()) {
    if (row.created_at <= since) continue;
    if (row.sender_type === "user") state = CLEAR;
    else if (row.agent_id !== null) state = afterAgent(state, row.agent_id, row.sender_name, row.created_at);
  }
  return state;
}

/** Returns when the channel's guard was last cleared since a time; 0: not since then. */
export async function lastClear(db: Db, channelId: number, since: number): Promise<number> {
  const rows = await db
    .selectFrom("control_log")
    .select("subject")
    .where("kind", "=", "guard_cleared")
    .where("subject", "like", `${channelId}:%`)
    .where("created_at", ">=", since)
    .execute();
  return Math.max(0, ...rows.map(({ subject }) => Number(subject.split(":")[1])));
}

/** Returns the agent that last spoke under a name among a channel's newest messages. */
export async function lastSpeaker(db: Db, channelId: number, name: string, among: number): Promise<number | null> {
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
