import { PLATFORM_AGENT } from "../../accounts/names/agent-names.ts";
import type { Db } from "../../db/db.ts";
import { Prepared } from "../../db/statements/prepared.ts";
import type { ChannelRole } from "../channel.ts";
import type { MemberRow } from "./members.store.ts";

interface MembersPage {
  limit: number;
  offset: number;
}

/** The parts of the list, in its order. */
const PARTS: readonly (ChannelRole | "agents")[] = ["owner", "admin", "member", "agents"];

/**
 * Lists the owner, admins, members, then agents, each in order of joining. The parts before the page are counted, and
 * the page is read from the index of its part, so that the last page of a large channel costs little more than the
 * first. A member who changes between parts at that moment can be in both or in neither.
 */
export async function listMembers(db: Db, channelId: number, { limit, offset }: MembersPage): Promise<MemberRow[]> {
  const rows: MemberRow[] = [];
  let skipped = offset;
  for (const part of PARTS) {
    const found = await readPart(db, channelId, part, { limit: limit - rows.length, offset: skipped });
    rows.push(...found);
    if (rows.length === limit) break;
    if (found.length > 0) skipped = 0;
    else if (skipped > 0) skipped -= Math.min(skipped, await countPart(db, channelId, part));
  }
  return rows;
}

async function readPart(
  db: Db,
  channelId: number,
  part: ChannelRole | "agents",
  page: MembersPage,
): Promise<MemberRow[]> {
  if (part === "agents") {
    const rows = await AGENTS.all(db, { channelId, ...page });
    // Only an agent that always uses the shared name has none of its own.
    return rows.map(({ name, ...row }) => ({ ...row, kind: "agent", name: name ?? PLATFORM_AGENT, role: "member" }));
  }
  const rows = await USERS.all(db, { channelId, role: part, ...page });
  return rows.map((row) => ({ ...row, kind: "user" }));
}

async function countPart(db: Db, channelId: number, part: ChannelRole | "agents"): Promise<number> {
  const counted =
    part === "agents" ? COUNT_AGENTS.first(db, { channelId }) : COUNT.first(db, { channelId, role: part });
  return Number((await counted)?.count ?? 0);
}

/** Returns a page of the users who have a role. Names are looked up for the page alone. */
export function usersIn(
  db: Db,
  { channelId, role, limit, offset }: MembersPage & { channelId: number; role: ChannelRole },
) {
  const page = db
    .selectFrom("channel_members")
    .select("user_id")
    .where("channel_id", "=", channelId)
    .where("role", "=", role)
    .orderBy("joined_at")
    .orderBy("user_id")
    .limit(limit)
    .offset(offset);
  return db
    .selectFrom(page.as("page"))
    .innerJoin("channel_members as m", (join) =>
      join.onRef("m.user_id", "=", "page.user_id").on("m.channel_id", "=", channelId),
    )
    .innerJoin("users as u", "u.id", "page.user_id")
    .select(["u.username as name", "m.role", "m.muted_until", "m.joined_at"])
    .orderBy("m.joined_at")
    .orderBy("m.user_id");
}

const USERS = new Prepared(usersIn);

const AGENTS = new Prepared((db, { channelId, limit, offset }: MembersPage & { channelId: number }) =>
  db
    .selectFrom("channel_agents as a")
    .select((eb) => [
      "a.muted_until",
      "a.joined_at",
      eb
        .selectFrom("names as n")
        .whereRef("n.agent_id", "=", "a.agent_id")
        .select((of) => of.fn.min("n.name").as("name"))
        .as("name"),
    ])
    .where("a.channel_id", "=", channelId)
    .orderBy("a.joined_at")
    .orderBy("a.agent_id")
    .limit(limit)
    .offset(offset),
);

const COUNT = new Prepared((db, { channelId, role }: { channelId: number; role: ChannelRole }) =>
  db
    .selectFrom("channel_members")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("channel_id", "=", channelId)
    .where("role", "=", role),
);

const COUNT_AGENTS = new Prepared((db, { channelId }: { channelId: number }) =>
  db
    .selectFrom("channel_agents")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("channel_id", "=", channelId),
);
