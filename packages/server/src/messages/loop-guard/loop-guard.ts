import type { GuardResponse } from "@parley/protocol/channels";
import { LRUCache } from "lru-cache";
import { audit } from "../../audit/audit.ts";
import { isoTime } from "../../base/iso-time.ts";
import { isByLevel, manageableChannel } from "../../channels/access/access.ts";
import { heldRole } from "../../channels/access/ranks.ts";
import type { Channel, ChannelRef } from "../../channels/channel.ts";
import { type AppContext, perServer } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { type AppError, fail } from "../../errors.ts";
import type { UserIdentity } from "../../http/identity.ts";
import { onControl, recordControl } from "../../realtime/control/control.ts";
import { notePlatformSpeaker } from "../mentions/platform-agent.ts";
import { hearChannel, onHeard, type Speaker } from "./heard-channels.ts";
import { lastClear, newestSpeakers, stateAfter } from "./loop-guard.store.ts";
import { afterAgent, blockedFor, CLEAR, counted, type GuardState, isTripped, QUIET_MS } from "./loop-guard-rules.ts";

/** One channel's count. Made from the newest messages when an agent first speaks there. */
interface Guard {
  state: GuardState;
  clearedAt: number;
  loading: Promise<void> | null;
  /** A message was sent while the messages were being read, so the read may lack it. On a lone server. */
  stale: boolean;
  /** In a cluster: the newest message that was read; the feed may pass it on later. */
  seq: number;
  /** In a cluster: the messages that came while the others were read. */
  early: { speaker: Speaker; seq: number }[];
}

/** An agent with a message that is not sent yet. */
export interface PendingAgent {
  readonly id: number;
  readonly name: string;
}

const CHANNELS_KEPT = 10_000;
/**
 * Messages read to rebuild a count. A longer run without a person's message within ten minutes reaches the limit
 * anyway.
 */
const REBUILD_FROM = 500;
const REBUILD_TRIES = 3;
/** Messages kept during a read, which takes milliseconds. */
const EARLY_MAX = 10_000;

const guards = perServer((ctx) => {
  const byChannel = new LRUCache<number, Guard>({ max: CHANNELS_KEPT });
  onControl(ctx, "guard_cleared", ({ channelId, at }) => {
    const guard = byChannel.get(channelId);
    if (guard !== undefined) clear(guard, at);
  });
  onHeard(ctx, {
    note: (channelId, speaker, seq) => {
      const guard = byChannel.get(channelId);
      if (guard === undefined) return;
      if (guard.loading === null) noteHeard(ctx, guard, speaker, seq);
      else if (guard.early.length < EARLY_MAX) guard.early.push({ speaker, seq });
    },
    forget: (channelId) => byChannel.delete(channelId),
  });
  return byChannel;
});

/**
 * Checks whether this agent may speak here now (protocol §5). Called before a message is written; sync once the
 * channel's count is in memory. `pending` messages of agents count as if they were sent now.
 * @throws loop_guard_tripped
 */
export function checkLoopGuard(
  ctx: AppContext,
  channelId: number,
  agentId: number,
  pending?: readonly PendingAgent[],
): void | Promise<void> {
  const limit = ctx.config.agentLoopLimit;
  if (limit === 0) return;
  const guard = guardOf(ctx, channelId);
  if (guard.loading !== null) return guard.loading.then(() => assertNotBlocked(ctx, guard, agentId, limit, pending));
  assertNotBlocked(ctx, guard, agentId, limit, pending);
}

/**
 * Counts a message after its commit. Costs one map lookup in channels where no agent has spoken. In a cluster the
 * channel's feed reports the messages of all nodes, this one's included.
 */
export function noteMessage(ctx: AppContext, channelId: number, sender: Speaker): void {
  if (ctx.cluster !== null) return;
  if (sender.kind === "agent") notePlatformSpeaker(ctx, channelId, sender);
  const guard = guards(ctx).get(channelId);
  if (guard === undefined || sender.kind === "system") return;
  guard.stale = true;
  count(ctx, guard, sender);
}

function noteHeard(ctx: AppContext, guard: Guard, speaker: Speaker, seq: number): void {
  if (seq > guard.seq && speaker.kind !== "system") count(ctx, guard, speaker);
}

function count(ctx: AppContext, guard: Guard, speaker: Speaker): void {
  if (speaker.kind === "user") guard.state = CLEAR;
  else guard.state = afterAgent(guard.state, speaker.id, speaker.name ?? "", ctx.clock.now());
}

/** Returns when the channel's guard was last cleared; undefined if that is not in memory. */
export function clearedInMemory(ctx: AppContext, channelId: number): number | undefined {
  const guard = guards(ctx).peek(channelId);
  return guard === undefined || guard.loading !== null ? undefined : guard.clearedAt;
}

/** Returns the channel's guard in its wire form. */
export async function guardRecord(ctx: AppContext, channelId: number): Promise<Omit<GuardResponse, "success">> {
  const guard = guardOf(ctx, channelId);
  await guard.loading;
  const limit = ctx.config.agentLoopLimit;
  const now = ctx.clock.now();
  const { consecutive, agents, lastAt } = counted(guard.state, now);
  return {
    limit,
    consecutive,
    per_agent: [...agents].map(([agent_id, { name, count }]) => ({ agent_id, agent_name: name, consecutive: count })),
    tripped: isTripped(guard.state, limit, now),
    resets_at: consecutive === 0 ? null : isoTime(lastAt + QUIET_MS),
  };
}

/** Clears the count on every node, and for a restart within the ten minutes too. */
export async function clearLoopGuard(ctx: AppContext, channelId: number): Promise<void> {
  const at = ctx.clock.now();
  await recordControl(ctx.db, ctx.clock, "guard_cleared", { channelId, at });
  ctx.afterCommit(() => clear(guardOf(ctx.root, channelId), at));
}

/** Clears the count for a moderator of the channel. Errors: those of `manageableChannel`. */
export async function clearGuardBy(ctx: AppContext, caller: UserIdentity, ref: ChannelRef): Promise<Channel> {
  const channel = await manageableChannel(ctx, caller, ref, "moderator");
  const role = await heldRole(ctx, caller, channel);
  await transact(ctx, async (ctx) => {
    await clearLoopGuard(ctx, channel.id);
    if (isByLevel(role)) await audit(ctx, caller, "guard_clear", `channel:${channel.id}`);
  });
  return channel;
}

function clear(guard: Guard, at: number): void {
  // The same clear arrives again through control_log: messages sent in between count. Times are not compared, because
  // the clock of the node that cleared before may be early.
  if (at === guard.clearedAt) return;
  guard.clearedAt = at;
  guard.stale = true;
  guard.state = CLEAR;
}

function assertNotBlocked(
  ctx: AppContext,
  guard: Guard,
  agentId: number,
  limit: number,
  pending: readonly PendingAgent[] = [],
): void {
  const now = ctx.clock.now();
  const state = pending.reduce((before, agent) => afterAgent(before, agent.id, agent.name, now), guard.state);
  const refusal = guardRefusal(state, agentId, limit, now);
  if (refusal !== null) throw refusal;
}

/** Returns the error of an agent that the guard refuses now; null if it may speak. */
export function guardRefusal(state: GuardState, agentId: number, limit: number, now: number): AppError | null {
  const wait = blockedFor(state, agentId, limit, now);
  if (wait === 0) return null;
  // No Retry-After: generic HTTP clients would wait for it and then send the stale message.
  return fail("loop_guard_tripped", { details: { resets_at: isoTime(now + wait) } });
}

function guardOf(ctx: AppContext, channelId: number): Guard {
  const byChannel = guards(ctx);
  const hearing = hearChannel(ctx.root, channelId);
  const found = byChannel.get(channelId);
  if (found !== undefined) return found;
  const made: Guard = { state: CLEAR, clearedAt: 0, loading: null, stale: false, seq: 0, early: [] };
  const work =
    ctx.cluster === null ? rebuild(ctx.root, channelId, made) : readHeard(ctx.root, channelId, made, hearing);
  made.loading = work.then(
    () => {
      made.loading = null;
      for (const { speaker, seq } of made.early.splice(0)) noteHeard(ctx, made, speaker, seq);
    },
    (error: unknown) => {
      byChannel.delete(channelId);
      throw error;
    },
  );
  // Callers that await it get the rejection. Without one the rejection must not crash the process.
  made.loading.catch(() => {});
  byChannel.set(channelId, made);
  return made;
}

/** Counts the newest messages. Repeats if a message was sent during the read, which is then committed and readable. */
async function rebuild(ctx: AppContext, channelId: number, guard: Guard): Promise<void> {
  for (let tries = 0; tries < REBUILD_TRIES; tries++) {
    guard.stale = false;
    const since = ctx.clock.now() - QUIET_MS;
    const clearedAt = Math.max(guard.clearedAt, await lastClear(ctx.db, channelId, since));
    const rows = await newestSpeakers(ctx.db, channelId, REBUILD_FROM);
    if (guard.stale && tries + 1 < REBUILD_TRIES) continue;
    guard.clearedAt = clearedAt;
    guard.state = stateAfter(rows, Math.max(since, clearedAt));
    return;
  }
}

/** Counts the newest messages of all nodes. The feed reports those that are committed during the read. */
async function readHeard(
  ctx: AppContext,
  channelId: number,
  guard: Guard,
  hearing: Promise<void> | undefined,
): Promise<void> {
  if (hearing !== undefined) await hearing;
  const since = ctx.clock.now() - QUIET_MS;
  const clearedAt = await lastClear(ctx.db, channelId, since);
  const rows = await newestSpeakers(ctx.db, channelId, REBUILD_FROM);
  guard.clearedAt = Math.max(guard.clearedAt, clearedAt);
  guard.seq = rows[0]?.seq ?? 0;
  guard.state = stateAfter(rows, Math.max(since, guard.clearedAt));
}
