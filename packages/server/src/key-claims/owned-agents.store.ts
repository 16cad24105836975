import type { DmPolicy } from "@parley/protocol/values";
import { sql } from "kysely";
import { nameKey } from "../accounts/names/names.ts";
import type { Db } from "../db/db.ts";
import { isItem } from "../db/statements/item-kind.ts";
import { type Span, SpanStatement } from "../event-log/span.ts";

export interface OwnedAgentRow {
  id: number;
  owner_verified: number;
  paused: number;
  dm_policy: DmPolicy;
  telegram_privacy: number;
  last_seen_at: number | null;
  created_at: number;
  dropped_mentions: number;
  username: string | null;
}

export interface AgentFilter {
  /** Only agents that name this user their owner. */
  ownerId?: number;
  /** The beginning of a name of the agent or of its owner. */
  prefix?: string | undefined;
  paused?: boolean | undefined;
}

/** Returns agents that match all given filters, newest first. */
export function listAgents(
  db: Db,
  { ownerId, prefix, paused }: AgentFilter,
  page: { limit: number; offset: number },
): Promise<OwnedAgentRow[]> {
  let query = agents(db).orderBy("agents.id", "desc").limit(page.limit).offset(page.offset);
  if (ownerId !== undefined) query = query.where("agents.owner_user_id", "=", ownerId);
  if (paused !== undefined) query = query.where("agents.paused", "=", paused ? 1 : 0);
  if (prefix !== undefined && prefix !== "") {
    const [first, last] = [nameKey(prefix), `${nameKey(prefix)}${LAST}`];
    query = query.where((eb) => {
      const names = eb.selectFrom("names").where("name_key", ">=", first).where("name_key", "<", last);
      return eb.or([
        eb("agents.id", "in", names.select("agent_id").where("agent_id", "is not", null)),
        eb("agents.owner_user_id", "in", names.select("user_id").where("user_id", "is not", null)),
      ]);
    });
  }
  return query.execute();
}

/** Sorts after every name with the same prefix. */
const LAST = "\u{10ffff}";

export function readAgent(db: Db, agentId: number): Promise<OwnedAgentRow | undefined> {
  return agents(db).where("agents.id", "=", agentId).executeTakeFirst();
}

function agents(db: Db) {
  return db
    .selectFrom("agents")
    .leftJoin("users", "users.id", "agents.owner_user_id")
    .select([
      "agents.id",
      "agents.owner_verified",
      "agents.paused",
      "agents.dm_policy",
      "agents.telegram_privacy",
      "agents.last_seen_at",
      "agents.created_at",
      "agents.dropped_mentions",
      "users.username",
    ])
    .where((eb) =>
      // Those of an import that is not open.
      eb.not(
        eb.exists(
          eb
            .selectFrom("import_items")
            .innerJoin("imports", "imports.id", "import_items.import_id")
            .select("import_items.parley_id")
            .where(isItem("agent"))
            .whereRef("import_items.parley_id", "=", "agents.id")
            .where("imports.status", "<>", "done"),
        ),
      ),
    );
}

export interface AgentPlace {
  agent_id: number;
  channel_id: number;
}

/** Returns where these agents are logged in, under any name. */
export function placesOfAgents(db: Db, agentIds: readonly number[]): Promise<AgentPlace[]> {
  return db
    .selectFrom("agent_presence")
    .select(["agent_id", "channel_id"])
    .distinct()
    .where("agent_id", "in", agentIds)
    .execute();
}

/** Returns the channels these agents were added to. */
export function memberships(db: Db, agentIds: readonly number[]): Promise<AgentPlace[]> {
  return db.selectFrom("channel_agents").select(["agent_id", "channel_id"]).where("agent_id", "in", agentIds).execute();
}

export interface ActivityRow extends AgentPlace {
  message_count: number;
  last_message_at: number;
}

export function activityOf(db: Db, agentIds: readonly number[]): Promise<ActivityRow[]> {
  return db
    .selectFrom("agent_activity")
    .select(["agent_id", "channel_id", "message_count", "last_message_at"])
    .where("agent_id", "in", agentIds)
    .execute();
}

/** Returns those of these channels that exist and are no direct conversations. */
export function slugsOf(db: Db, channelIds: readonly number[]): Promise<{ id: number; slug: string }[]> {
  return db
    .selectFrom("channels")
    .leftJoin("direct_agents", "direct_agents.channel_id", "channels.id")
    .select(["channels.id", "channels.slug"])
    .where("channels.id", "in", channelIds)
    .where("channels.deleted_at", "is", null)
    .where("direct_agents.channel_id", "is", null)
    .orderBy("channels.id")
    .execute();
}

const SENT = new SpanStatement(
  (isWithin) => sql<ActivityRow>`
    select agent_id, channel_id, count(*) as message_count, max(created_at) as last_message_at from messages
    where ${isWithin} and agent_id is not null group by agent_id, channel_id`,
);

/** Counts each agent's messages in ranges of channels' sequence numbers, ordered by agent and channel. */
export async function sentIn(db: Db, spans: readonly Span[]): Promise<ActivityRow[]> {
  const rows = await SENT.all(db, spans);
  return rows
    .map((row) => ({ ...row, message_count: Number(row.message_count) }))
    .sort((a, b) => a.agent_id - b.agent_id || a.channel_id - b.channel_id);
}

export async function addActivity(db: Db, sent: readonly ActivityRow[]): Promise<void> {
  await db
    .insertInto("agent_activity")
    .values(sent)
    .onConflict((conflict) =>
      conflict.columns(["agent_id", "channel_id"]).doUpdateSet((eb) => ({
        message_count: eb("agent_activity.message_count", "+", eb.ref("excluded.message_count")),
        last_message_at: eb.ref("excluded.last_message_at"),
      })),
    )
    .execute();
}
