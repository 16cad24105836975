import type {
  AgentChannel,
  CreateAgentBody,
  CreateAgentResponse,
  OwnedAgent,
  UpdateAgentBody,
} from "@parley/protocol/claims";
import type { Agent } from "@parley/protocol/models";
import * as control from "../agents/agent-control.ts";
import { createAgent } from "../agents/keys/create-agent.ts";
import { audit, COMMAND_LINE } from "../audit/audit.ts";
import { isoTime, isoTimeOrNull } from "../base/iso-time.ts";
import { type AppContext, perServer } from "../context.ts";
import { transact } from "../db/transact.ts";
import { fail } from "../errors.ts";
import { type Consumer, consumeMessages } from "../event-log/consumer.ts";
import type { UserIdentity } from "../http/identity.ts";
import { type OffsetPage, type OffsetQuery, pageByOffset } from "../http/pages.ts";
import { ADMINISTRATOR, hasLevel, MODERATOR } from "../http/site-levels.ts";
import { endSetupCodes } from "../setup-codes/ends.ts";
import { privacyChanged } from "../telegram/update-kinds.ts";
import { keysByAgent, notifyAgentOwner } from "./keys.service.ts";
import { namesOfAgents } from "./keys.store.ts";
import * as store from "./owned-agents.store.ts";

export interface AgentPage extends OffsetPage {
  agents: OwnedAgent[];
}

/**
 * Returns the agents that name this user their owner, newest first. Keys, channels and counts are included only where
 * the user is verified; where the name is only a label, the user sees nothing more (protocol §5).
 */
export async function ownedAgents(ctx: AppContext, owner: UserIdentity, query: OffsetQuery): Promise<AgentPage> {
  const filter = { ownerId: owner.userId };
  const { shown, ...rest } = await pageByOffset(query, (page) => store.listAgents(ctx.db, filter, page));
  return { agents: await withDetails(ctx, shown, false), ...rest };
}

/**
 * Returns the agents of all users with their details, newest first, for administrators and the command line. The caller
 * checks that the user may see them.
 */
export async function allAgents(
  ctx: AppContext,
  query: Pick<store.AgentFilter, "prefix" | "paused"> & OffsetQuery,
): Promise<AgentPage> {
  const { shown, ...rest } = await pageByOffset(query, (page) => store.listAgents(ctx.db, query, page));
  return { agents: await withDetails(ctx, shown, true), ...rest };
}

/**
 * Creates an agent for the caller or another user, with its name and first key (protocol §5). The caller checks the
 * user's level.
 * @throws invalid_agent_name, agent_name_taken, user_not_found, channel_not_found, invalid_request
 */
export async function newAgent(
  ctx: AppContext,
  caller: UserIdentity,
  { agent_name, owner_username = caller.username, scopes, channels, expires_at }: CreateAgentBody,
): Promise<Omit<CreateAgentResponse, "success">> {
  return transact(ctx, async (ctx) => {
    const issued = await createAgent(ctx, caller, {
      agentName: agent_name,
      ownerUsername: owner_username,
      grant: { scopes, channels, expires_at },
    });
    const { api_key, key_id, agent_id } = issued;
    const message = "The agent is created. Its key is not shown again.";
    return { message, api_key, key_id, agent_id, agent: await readRecord(ctx, agent_id) };
  });
}

async function withDetails(ctx: AppContext, rows: readonly store.OwnedAgentRow[], all: boolean): Promise<OwnedAgent[]> {
  const open = rows.filter((row) => all || row.owner_verified === 1).map(({ id }) => id);
  const [records, keys, channels] = [
    await agentRecords(ctx, rows),
    await keysByAgent(ctx, open),
    await channelsByAgent(ctx, open),
  ];
  const dropped = new Map(rows.map((row) => [row.id, row.dropped_mentions]));
  return records.map((agent) => {
    if (!open.includes(agent.agent_id)) {
      return { ...agent, keys: null, channels: null, message_count: null, dropped_mentions: null };
    }
    const places = channels.get(agent.agent_id) ?? [];
    const message_count = places.reduce((sum, place) => sum + place.message_count, 0);
    const dropped_mentions = dropped.get(agent.agent_id) ?? 0;
    return { ...agent, keys: keys.get(agent.agent_id) ?? [], channels: places, message_count, dropped_mentions };
  });
}

async function agentRecords(ctx: AppContext, rows: readonly store.OwnedAgentRow[]): Promise<Agent[]> {
  if (rows.length === 0) return [];
  const bound = await namesOfAgents(
    ctx.db,
    rows.map(({ id }) => id),
  );
  const names = Map.groupBy(bound, (row) => row.agent_id);
  return rows.map((row) => ({
    agent_id: row.id,
    agent_names: (names.get(row.id) ?? []).map(({ name }) => name),
    owner_username: row.username,
    owner_verified: row.owner_verified === 1,
    paused: row.paused === 1,
    dm_policy: row.dm_policy,
    telegram_privacy: row.telegram_privacy === 1,
    last_seen_at: isoTimeOrNull(row.last_seen_at),
    created_at: isoTime(row.created_at),
  }));
}

/** Returns the existing channels where an agent is logged in, was added, or has written, without conversations. */
async function channelsByAgent(ctx: AppContext, agentIds: readonly number[]): Promise<Map<number, AgentChannel[]>> {
  if (agentIds.length === 0) return new Map();
  const stays = await store.placesOfAgents(ctx.db, agentIds);
  const activity = await store.activityOf(ctx.db, agentIds);
  const places = [...stays, ...(await store.memberships(ctx.db, agentIds)), ...activity];
  const channelIds = [...new Set(places.map((place) => place.channel_id))];
  const slugs = channelIds.length === 0 ? [] : await store.slugsOf(ctx.db, channelIds);
  const keyOf = (place: store.AgentPlace) => `${place.agent_id}:${place.channel_id}`;
  const known = new Set(places.map(keyOf));
  const online = new Set(stays.map(keyOf));
  const sent = new Map(activity.map((row) => [keyOf(row), row]));
  return new Map(
    agentIds.map((agent_id) => [
      agent_id,
      slugs
        .filter(({ id }) => known.has(keyOf({ agent_id, channel_id: id })))
        .map(({ id, slug }) => {
          const key = keyOf({ agent_id, channel_id: id });
          const row = sent.get(key);
          return {
            channel_id: id,
            channel_slug: slug,
            is_online: online.has(key),
            message_count: row?.message_count ?? 0,
            last_message_at: row === undefined ? null : isoTime(row.last_message_at),
          };
        }),
    ]),
  );
}

/**
 * Changes an agent for its verified owner or staff, whose acts are audited (protocol §5). Moderators pause and resume
 * it, and the owner cannot end their pause. Administrators also decide with whom it talks, and what its bots hear: an agent may have no owner.
 * @throws no_fields, agent_not_found, forbidden
 */
export async function updateAgent(
  ctx: AppContext,
  caller: UserIdentity,
  agentId: number,
  { paused, dm_policy, telegram_privacy }: UpdateAgentBody,
): Promise<Agent> {
  if (paused === undefined && dm_policy === undefined && telegram_privacy === undefined) throw fail("no_fields");
  return transact(ctx, async (ctx) => {
    const agent = await control.lockAgent(ctx, agentId);
    if (agent === null) throw fail("agent_not_found");
    const isOwner = agent.owner_user_id === caller.userId && agent.owner_verified === 1;
    const isOnlyPause = dm_policy === undefined && telegram_privacy === undefined;
    if (!isOwner && !hasLevel(caller, isOnlyPause ? MODERATOR : ADMINISTRATOR)) throw fail("forbidden");
    if (paused !== undefined) await pause(ctx, caller, agent, paused, isOwner);
    if (dm_policy !== undefined && (await control.setDmPolicy(ctx, agentId, dm_policy)) && !isOwner)
      await audit(ctx, caller, "agent_dm_policy", `agent:${agentId}`);
    if (telegram_privacy !== undefined && (await control.setTelegramPrivacy(ctx, agentId, telegram_privacy))) {
      await privacyChanged(ctx, agentId);
      if (!isOwner) await audit(ctx, caller, "agent_telegram_privacy", `agent:${agentId}`);
    }
    return readRecord(ctx, agentId);
  });
}

async function pause(
  ctx: AppContext,
  caller: UserIdentity,
  agent: control.ControlledAgent,
  paused: boolean,
  isOwner: boolean,
): Promise<void> {
  const isStaff = hasLevel(caller, MODERATOR);
  if (!isStaff && !paused && agent.paused_by_staff === 1)
    throw fail("forbidden", { message: "A moderator paused this agent. Ask a moderator to resume it." });
  const byStaff = isStaff && !isOwner;
  const how = { byStaff: paused ? byStaff : isStaff, by: byStaff ? ("staff" as const) : ("owner" as const) };
  const changed = await control.setPaused(ctx, agent.id, paused, how);
  if (changed && paused) await endSetupCodes(ctx, agent.id);
  if (!changed || !byStaff) return;
  await audit(ctx, caller, paused ? "agent_pause" : "agent_resume", `agent:${agent.id}`);
  await notifyAgentOwner(ctx, caller, agent, paused ? "agent_paused" : "agent_resumed");
}

/**
 * Does the same at the command line, beside a running server, which learns of it within 2 s.
 * @throws agent_not_found
 */
export async function pauseAtCommandLine(ctx: AppContext, agentId: number, paused: boolean): Promise<Agent> {
  return transact(ctx, async (ctx) => {
    if ((await control.lockAgent(ctx, agentId)) === null) throw fail("agent_not_found");
    if (await control.setPaused(ctx, agentId, paused, { byStaff: true, by: "staff", beside: true }))
      await audit(ctx, COMMAND_LINE, paused ? "agent_pause" : "agent_resume", `agent:${agentId}`);
    if (paused) await endSetupCodes(ctx, agentId);
    return readRecord(ctx, agentId);
  });
}

/**
 * Removes the caller's own name from an agent: anyone can put it there when they claim a key (protocol §5).
 * @throws agent_not_found, forbidden
 */
export async function disown(ctx: AppContext, caller: UserIdentity, agentId: number): Promise<Agent> {
  return transact(ctx, async (ctx) => {
    if (!(await control.removeOwner(ctx, agentId, caller.userId)))
      throw fail((await control.findAgent(ctx, agentId)) === null ? "agent_not_found" : "forbidden");
    return readRecord(ctx, agentId);
  });
}

async function readRecord(ctx: AppContext, agentId: number): Promise<Agent> {
  const row = await store.readAgent(ctx.db, agentId);
  const [agent] = row === undefined ? [] : await agentRecords(ctx, [row]);
  if (agent === undefined) throw fail("agent_not_found");
  return agent;
}

const COUNT_EVERY_MS = 5_000;
const COUNT_BATCH = 2_000;

/** Counts what agents send per channel, off the send path, for their owners to see. Starts with the first call. */
export const agentActivity: (ctx: AppContext) => Consumer = perServer((ctx) =>
  consumeMessages(ctx, {
    purpose: "agent_activity",
    everyMs: COUNT_EVERY_MS,
    batch: COUNT_BATCH,
    async handle(ctx, spans) {
      const sent = await store.sentIn(ctx.db, spans);
      if (sent.length > 0) await store.addActivity(ctx.db, sent);
    },
  }),
);
