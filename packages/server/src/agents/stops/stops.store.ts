import type { Db } from "../../db/db.ts";

/** What an agent does in a place of a channel. */
export interface Work {
  agentId: number;
  channelId: number;
  /** The thread, or the message that the agent answers; null: it answers none, or it is not known. */
  rootId: number | null;
  /** The message that the agent answers now; null: it is writing none, or in answer to nothing. */
  answeredId: number | null;
}

/** The kinds of items by which somebody asks an agent for something. */
const ASKING = ["mention", "direct", "command", "reply", "message"] as const;

/**
 * Returns whether a user has written what the agent answers, or a message in the thread that is, or was, in the agent's
 * inbox.
 */
export async function hasAsked(db: Db, userId: number, work: Work): Promise<boolean> {
  const { agentId, channelId, rootId, answeredId } = work;
  if (rootId === null) return false;
  const row = await db
    .selectFrom("messages as m")
    .leftJoin("mentions as i", "i.message_id", "m.id")
    .select("m.id")
    .where("m.channel_id", "=", channelId)
    .where("m.user_id", "=", userId)
    .where("m.deleted_at", "is", null)
    .where((eb) => {
      const isHere = eb.or([eb("m.id", "=", rootId), eb("m.thread_root_id", "=", rootId)]);
      const isAsking = eb.and([isHere, eb("i.agent_id", "=", agentId), eb("i.kind", "in", ASKING)]);
      return answeredId === null ? isAsking : eb.or([eb("m.id", "=", answeredId), isAsking]);
    })
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
