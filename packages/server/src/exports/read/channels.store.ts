import type { Flag, Millis } from "../../db/columns.ts";
import type { Db } from "../../db/db.ts";
import { PADDED_MAX, paddedList } from "../../db/statements/sized-statement.ts";

export interface ChannelRow {
  id: number;
  name: string;
  slug: string;
  is_private: Flag;
  owner_id: number | null;
  topic: string | null;
  description: string | null;
  price: string | null;
  created_at: Millis;
}

/** Returns all channels that are not deleted; those of a closed import are. */
export const allChannels = (db: Db): Promise<ChannelRow[]> =>
  db
    .selectFrom("channels")
    .select(["id", "name", "slug", "is_private", "owner_id", "topic", "description", "price", "created_at"])
    .where("deleted_at", "is", null)
    .where("purged_at", "is", null)
    .orderBy("id")
    .execute();

/** Returns how many messages these channels have. */
export async function countMessages(db: Db, channelIds: readonly number[]): Promise<Map<number, number>> {
  const counts = new Map<number, number>();
  for (let from = 0; from < channelIds.length; from += PADDED_MAX) {
    const rows = await db
      .selectFrom("messages")
      .select((eb) => ["channel_id", eb.fn.countAll<number | string>().as("count")])
      .where("channel_id", "in", paddedList(channelIds.slice(from, from + PADDED_MAX)))
      .groupBy("channel_id")
      .execute();
    for (const { channel_id, count } of rows) counts.set(channel_id, Number(count));
  }
  return counts;
}

/** The people of a conversation of two. */
export type Pair = { userIds: readonly number[] } | { userId: number; agentId: number; agentName: string };

/** Returns who talks in the conversations of two, by their channels. */
export async function pairs(db: Db): Promise<Map<number, Pair>> {
  const found = new Map<number, Pair>();
  const users = db.selectFrom("direct_channels").select(["channel_id", "low_user_id", "high_user_id"]);
  const agents = db.selectFrom("direct_agents").select(["channel_id", "user_id", "agent_id", "agent_name"]);
  for (const { channel_id, low_user_id, high_user_id } of await users.execute())
    found.set(channel_id, { userIds: [low_user_id, high_user_id] });
  for (const { channel_id, user_id, agent_id, agent_name } of await agents.execute())
    found.set(channel_id, { userId: user_id, agentId: agent_id, agentName: agent_name });
  return found;
}

/** Returns the members of a channel, in the order in which they joined. */
export async function membersOf(db: Db, channelId: number) {
  const users = db.selectFrom("channel_members").select(["user_id", "role"]);
  const agents = db.selectFrom("channel_agents").select("agent_id");
  return {
    users: await users.where("channel_id", "=", channelId).orderBy("joined_at").orderBy("user_id").execute(),
    agents: await agents.where("channel_id", "=", channelId).orderBy("joined_at").orderBy("agent_id").execute(),
  };
}

/** Returns the channels of these users, with their roles. */
export function channelsOfUsers(db: Db, userIds: readonly number[]) {
  const query = db.selectFrom("channel_members").select(["user_id", "channel_id", "role"]);
  return query.where("user_id", "in", paddedList(userIds)).orderBy("channel_id").execute();
}

/** Returns when the first channel of the server was made: it differs from that of any other server. */
export async function oldestChannel(db: Db): Promise<Millis> {
  const query = db.selectFrom("channels").select("created_at").orderBy("id").limit(1);
  return (await query.executeTakeFirst())?.created_at ?? 0;
}
