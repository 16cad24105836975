import type { Db } from "../../db/db.ts";
import { Prepared } from "../../db/statements/prepared.ts";
import { PADDED_MAX, paddedList } from "../../db/statements/sized-statement.ts";

/** The facts that decide what a message's sender may ask of an agent, as they are now. */
export interface SpeakerRow {
  id: number;
  channel_id: number;
  sender_type: "user" | "agent" | "system";
  webhook_id: number | null;
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
      "messages.webhook_id",
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

/** A user who has written in a channel, as they are now, and the verified owner of the agent that reads it. */
export interface SenderRow extends Pick<SpeakerRow, "user_id" | "role" | "admin_level" | "suspended_until"> {
  username_key: string;
  owner_id: number | null;
}

/** Returns the users with these names, with their roles in the channel. */
export async function sendersOf(
  db: Db,
  { agentId, channelId }: { agentId: number; channelId: number },
  usernameKeys: readonly string[],
): Promise<SenderRow[]> {
  const found: SenderRow[] = [];
  for (let from = 0; from < usernameKeys.length; from += NAMES) {
    // No user has an empty name.
    const [a = "", b = "", c = "", d = "", e = "", f = "", g = "", h = ""] = usernameKeys.slice(from, from + NAMES);
    found.push(...(await SENDERS.all(db, { agentId, channelId, a, b, c, d, e, f, g, h })));
  }
  return found;
}

/** The names in one statement. Most pages have fewer speakers. */
const NAMES = 8;
type Named = Record<"agentId" | "channelId", number> & Record<"a" | "b" | "c" | "d" | "e" | "f" | "g" | "h", string>;
const SENDERS = new Prepared((db, { agentId, channelId, a, b, c, d, e, f, g, h }: Named) =>
  db
    .selectFrom("users")
    .leftJoin("channel_members", (join) =>
      join.onRef("channel_members.user_id", "=", "users.id").on("channel_members.channel_id", "=", channelId),
    )
    .select([
      "users.username_key",
      "users.id as user_id",
      "users.admin_level",
      "users.suspended_until",
      "channel_members.role",
    ])
    .select((eb) =>
      eb
        .selectFrom("agents")
        .select("agents.owner_user_id")
        .where("agents.id", "=", agentId)
        .where("agents.owner_verified", "=", 1)
        .as("owner_id"),
    )
    .where("users.username_key", "in", [a, b, c, d, e, f, g, h]),
);

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
