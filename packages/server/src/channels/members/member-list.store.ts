import { type Kysely, sql } from "kysely";
import { PLATFORM_AGENT } from "../../accounts/names/agent-names.ts";
import type { Tables } from "../../db/tables/tables.ts";
import type { ChannelRole } from "../channel.ts";
import type { MemberRow } from "./members.store.ts";

type Db = Kysely<Tables>;

/** Lists the owner, admins, members, then agents, each in order of joining. */
export async function listMembers(db: Db, channelId: number, page: MembersPage): Promise<MemberRow[]> {
  const rows = await membersOf(db, channelId, page).execute();
  // Only an agent that always uses the shared name has none of its own.
  return rows.map((row) => ({ ...row, name: row.name ?? PLATFORM_AGENT }));
}

interface MembersPage {
  limit: number;
  offset: number;
}

/** Selects them. Each part is read in the order of its index, up to the end of the page. Exported for the test of its plan. */
export function membersOf(db: Db, channelId: number, { limit, offset }: MembersPage) {
  const users = (role: ChannelRole, rank: number) =>
    db
      .selectFrom("channel_members as m")
      .innerJoin("users as u", "u.id", "m.user_id")
      .where("m.channel_id", "=", channelId)
      .where("m.role", "=", role)
      .orderBy("m.joined_at")
      .orderBy("m.user_id")
      .limit(offset + limit)
      .select((eb) => [
        sql<MemberRow["kind"]>`'user'`.as("kind"),
        eb.ref("u.username").$castTo<string | null>().as("name"),
        "m.role as role",
        "m.muted_until as muted_until",
        "m.joined_at as joined_at",
        eb.lit(rank).$castTo<number>().as("rank"),
        "m.user_id as id",
      ]);
  const agents = db
    .selectFrom("channel_agents as m")
    .where("m.channel_id", "=", channelId)
    .orderBy("m.joined_at")
    .orderBy("m.agent_id")
    .limit(offset + limit)
    .select((eb) => [
      sql<MemberRow["kind"]>`'agent'`.as("kind"),
      eb
        .selectFrom("names as n")
        .whereRef("n.agent_id", "=", "m.agent_id")
        .select((of) => of.fn.min("n.name").as("name"))
        .as("name"),
      sql<MemberRow["role"]>`'member'`.as("role"),
      "m.muted_until as muted_until",
      "m.joined_at as joined_at",
      eb.lit(3).$castTo<number>().as("rank"),
      "m.agent_id as id",
    ]);
  const parts = db
    .selectFrom(users("owner", 0).as("owner"))
    .selectAll()
    .unionAll(db.selectFrom(users("admin", 1).as("admin")).selectAll())
    .unionAll(db.selectFrom(users("member", 2).as("member")).selectAll())
    .unionAll(db.selectFrom(agents.as("agent")).selectAll());
  return db
    .selectFrom(parts.as("all_members"))
    .selectAll()
    .orderBy("rank")
    .orderBy("joined_at")
    .orderBy("id")
    .limit(limit)
    .offset(offset);
}
