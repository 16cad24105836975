import { type Kysely, sql } from "kysely";
import { PLATFORM_AGENT } from "../../accounts/names/agent-names.ts";
import type { Tables } from "../../db/tables/tables.ts";
import type { ChannelRole } from "../channel.ts";
import type { MemberRow } from "./members.store.ts";

type Db = Kysely<Tables>;

/** The rank of agents, after those of the roles. */
const AGENTS = 3;

interface MembersPage {
  limit: number;
  offset: number;
}

/** Lists the owner, admins, members, then agents, each in order of joining. */
export async function listMembers(db: Db, channelId: number, page: MembersPage): Promise<MemberRow[]> {
  const rows = await membersOf(db, channelId, page).execute();
  return rows.map(({ rank, username, agent_name, ...row }) =>
    // Only an agent that always uses the shared name has none of its own.
    rank === AGENTS
      ? { ...row, kind: "agent", name: agent_name ?? PLATFORM_AGENT }
      : { ...row, kind: "user", name: username ?? "" },
  );
}

/**
 * Selects them: each part is read in the order of its index, up to the end of the page, and names are looked up for the
 * page alone. Exported for the test of its plan.
 */
export function membersOf(db: Db, channelId: number, { limit, offset }: MembersPage) {
  const users = (role: ChannelRole, rank: number) =>
    db
      .selectFrom("channel_members")
      .where("channel_id", "=", channelId)
      .where("role", "=", role)
      .orderBy("joined_at")
      .orderBy("user_id")
      .limit(offset + limit)
      .select((eb) => [eb.lit(rank).$castTo<number>().as("rank"), "user_id as id", "role", "muted_until", "joined_at"]);
  const agents = db
    .selectFrom("channel_agents")
    .where("channel_id", "=", channelId)
    .orderBy("joined_at")
    .orderBy("agent_id")
    .limit(offset + limit)
    .select((eb) => [
      eb.lit(AGENTS).$castTo<number>().as("rank"),
      "agent_id as id",
      sql<ChannelRole>`'member'`.as("role"),
      "muted_until",
      "joined_at",
    ]);
  const parts = db
    .selectFrom(users("owner", 0).as("owner"))
    .selectAll()
    .unionAll(db.selectFrom(users("admin", 1).as("admin")).selectAll())
    .unionAll(db.selectFrom(users("member", 2).as("member")).selectAll())
    .unionAll(db.selectFrom(agents.as("agent")).selectAll());
  const page = db
    .selectFrom(parts.as("part"))
    .selectAll()
    .orderBy("rank")
    .orderBy("joined_at")
    .orderBy("id")
    .limit(limit)
    .offset(offset);
  return db
    .selectFrom(page.as("page"))
    .leftJoin("users as u", (join) => join.onRef("u.id", "=", "page.id").on("page.rank", "<", AGENTS))
    .select((eb) => [
      "page.rank",
      "page.role",
      "page.muted_until",
      "page.joined_at",
      "u.username",
      eb
        .selectFrom("names as n")
        .whereRef("n.agent_id", "=", "page.id")
        .where("page.rank", "=", AGENTS)
        .select((of) => of.fn.min("n.name").as("name"))
        .as("agent_name"),
    ])
    .orderBy("page.rank")
    .orderBy("page.joined_at")
    .orderBy("page.id");
}
