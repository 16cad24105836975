import type { Kysely } from "kysely";
import { PADDED_MAX, paddedList } from "../../db/statements/statement-sizes.ts";
import type { Tables } from "../../db/tables/tables.ts";

type Db = Kysely<Tables>;

/** The facts that decide what a message's sender may ask of an agent, as they are now. */
export interface SpeakerRow {
  id: number;
  channel_id: number;
  sender_type: "user" | "agent" | "system";
  user_id: number | null;
  agent_id: number | null;
  /** JSON of the mentions in the text. */
  mentions: string | null;
  /** The sender's role in the channel; null if they are not a member. */
  role: "owner" | "admin" | "member" | null;
  admin_level: number | null;
  suspended_until: number | null;
  /** The agent that wrote the message to which this one replies. */
  replied_agent_id: number | null;
  /** Not null if the message is a mention of the reading agent that has not been purged. */
  mention_id: number | null;
}

/** Returns the senders of these messages, as they are now. */
export async function speakersOf(db: Db, readerId: number, messageIds: readonly number[]): Promise<SpeakerRow[]> {
  const found: SpeakerRow[] = [];
  for (let from = 0; from < messageIds.length; from += PADDED_MAX) {
    found.push(...(await speakersAmong(db, readerId, paddedList(messageIds.slice(from, from + PADDED_MAX)))));
  }
  return found;
}

function speakersAmong(db: Db, readerId: number, messageIds: readonly number[]): Promise<SpeakerRow[]> {
  return db
    .selectFrom("messages")
    .leftJoin("users", "users.id", "messages.user_id")
    .leftJoin("channel_members", (join) =>
      join
        .onRef("channel_members.channel_id", "=", "messages.channel_id")
        .onRef("channel_members.user_id", "=", "messages.user_id"),
    )
    .leftJoin("messages as replied", "replied.id", "messages.reply_to_id")
    .select([
      "messages.id",
      "messages.channel_id",
      "messages.sender_type",
      "messages.user_id",
      "messages.agent_id",
      "messages.mentions",
      "channel_members.role",
      "users.admin_level",
      "users.suspended_until",
      "replied.agent_id as replied_agent_id",
    ])
    .select((eb) =>
      eb
        .selectFrom("mentions")
        .select((of) => of.fn.max("mentions.id").as("newest"))
        .whereRef("mentions.message_id", "=", "messages.id")
        .where("mentions.agent_id", "=", readerId)
        .as("mention_id"),
    )
    .where("messages.id", "in", messageIds)
    .execute();
}

/** Returns the verified owner of an agent and the keys of its names. */
export async function readerOf(db: Db, agentId: number): Promise<{ ownerId: number | null; nameKeys: Set<string> }> {
  const rows = await db
    .selectFrom("agents")
    .leftJoin("names", "names.agent_id", "agents.id")
    .select(["agents.owner_user_id", "agents.owner_verified", "names.name_key"])
    .where("agents.id", "=", agentId)
    .execute();
  const owned = rows.find(({ owner_verified }) => owner_verified === 1);
  return {
    ownerId: owned?.owner_user_id ?? null,
    nameKeys: new Set(rows.flatMap(({ name_key }) => (name_key === null ? [] : [name_key]))),
  };
}
