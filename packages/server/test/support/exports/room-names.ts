import type { Db } from "../../../src/db/db.ts";

/** Returns the channels with messages: their ids, and what names them on any server. A direct conversation is named after its people. */
export async function channelsIn(db: Db): Promise<[id: number, name: string][]> {
  const rows = await db.selectFrom("channels").select(["id", "slug", "is_private"]).where("last_seq", ">", 0).execute();
  const named: [number, string][] = [];
  for (const { id, slug, is_private } of rows) {
    const talk = slug.startsWith("direct-") ? await peopleIn(db, id) : null;
    named.push([id, `${is_private === 1 ? "private" : "public"} ${talk ?? slug.replace(/-2$/, "")}`]);
  }
  return named.sort(([, one], [, other]) => (one < other ? -1 : 1));
}

async function peopleIn(db: Db, channelId: number): Promise<string> {
  const users = await db
    .selectFrom("channel_members")
    .innerJoin("users", "users.id", "channel_members.user_id")
    .select("username as name")
    .where("channel_id", "=", channelId)
    .execute();
  const direct = db.selectFrom("direct_agents").select("agent_id").where("channel_id", "=", channelId);
  const added = db.selectFrom("channel_agents").select("agent_id").where("channel_id", "=", channelId);
  const agents = await db.selectFrom("names").select("name").where("agent_id", "in", direct.union(added)).execute();
  return [...users, ...agents]
    .map(({ name }) => name.toLowerCase())
    .sort()
    .join(", ");
}
