import type { AckMentionsBody, MentionsQuery } from "@parley/protocol/agents";
import { PENDING_MENTIONS_MAX } from "@parley/protocol/limits";
import type { PendingMention } from "@parley/protocol/models";
import { agentNameOf, invalidAgentName, isPlatformAgent } from "../../accounts/names/agent-names.ts";
import { nameKey } from "../../accounts/names/names.ts";
import { readableChannel } from "../../channels/access/access.ts";
import type { Channel } from "../../channels/channel.ts";
import { runOnOne } from "../../cluster/duties.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { AppError, fail } from "../../errors.ts";
import type { AgentIdentity } from "../../http/identity.ts";
import { clampLimit } from "../../http/pages.ts";
import {
  countMatching,
  countMentions,
  crowdedNames,
  dropOldest,
  findMentions,
  type MentionCount,
  type MentionRow,
  purgeRemoved,
  removeMentions,
} from "../../messages/mentions/mention-rows.ts";
import { agentTopic } from "../../realtime/topics.ts";
import { countDropped } from "../agent-control.store.ts";
import { findName } from "../agents.store.ts";
import { poll } from "../events/long-poll.ts";
import { fenceWord, MENTIONS, renderContext, spokenMention } from "../prompt/render-context.ts";

/** How long a removed mention can still be read (protocol §5). */
const KEEP_REMOVED_MS = 24 * 60 * 60 * 1_000;
const SWEEP_MS = 60_000;

export interface MentionsPage {
  mentions: PendingMention[];
  count: number;
  remaining: number;
  mark_read: boolean;
  rendered?: string;
}

/**
 * Returns the agent's mentions, oldest first, or newest first when removed ones are included. Removes them unless
 * `mark_read` is false (protocol §5). With concurrent readers each mention goes to one of them.
 * Errors: those of `readableChannel` for a named channel.
 */
export async function readMentions(
  ctx: AppContext,
  caller: AgentIdentity,
  query: MentionsQuery,
  signal: AbortSignal,
): Promise<MentionsPage> {
  const markRead = query.mark_read ?? true;
  if (query.before_mention_id !== undefined && query.include_removed !== true) {
    const details = [{ path: "before_mention_id", message: "requires include_removed=true" }];
    throw fail("invalid_request", { details });
  }
  const only =
    query.channel_slug === undefined ? null : await readableChannel(ctx, caller, { slug: query.channel_slug });
  const agentName = query.agent_name === undefined ? null : await ownName(ctx, caller.agentId, query.agent_name);
  const page = await poll(ctx, { caller, topic: agentTopic(caller.agentId), seconds: query.wait ?? 0, signal }, () =>
    takeMentions(ctx, caller, {
      only,
      agentName,
      markRead,
      includeRemoved: query.include_removed ?? false,
      before: query.before_mention_id ?? null,
      limit: query.limit,
      signal,
    }),
  );
  const answer = page ?? { mentions: [], count: 0, remaining: 0, mark_read: markRead };
  return query.format === "context" ? { ...answer, rendered: render(ctx, answer.mentions) } : answer;
}

interface Wanted {
  only: Channel | null;
  agentName: string | null;
  markRead: boolean;
  includeRemoved: boolean;
  /** The id of the last mention of the previous page; null: the first page. */
  before: number | null;
  limit: number | undefined;
  /** Nothing is removed if the client has disconnected. */
  signal: AbortSignal;
}

/** Returns null if there are none. */
async function takeMentions(ctx: AppContext, caller: AgentIdentity, wanted: Wanted): Promise<MentionsPage | null> {
  const { agentId } = caller;
  const removedAfter = wanted.includeRemoved ? ctx.clock.now() - KEEP_REMOVED_MS : null;
  let counts = await countMentions(ctx.db, agentId, removedAfter);
  if (isCrowded(counts)) {
    await trimMentions(ctx, agentId);
    counts = await countMentions(ctx.db, agentId, removedAfter);
  }
  const channels = await readableAmong(ctx, caller, counts, wanted.only);
  const open = counts.filter(
    (count) => channels.has(count.channelId) && (wanted.agentName === null || count.agentName === wanted.agentName),
  );
  if (open.length === 0) return null;
  const { agentName, before } = wanted;
  const filter = { agentId, channelIds: [...channels.keys()], agentName, removedAfter, before };
  const limit = clampLimit(wanted.limit);
  const rows = await transact(ctx, async (ctx) => {
    const found = await findMentions(ctx.db, filter, limit);
    if (!wanted.markRead) return found;
    if (wanted.signal.aborted) return [];
    const ids = found.flatMap(({ id, removed_at }) => (removed_at === null ? [id] : []));
    const removed = new Set(await removeMentions(ctx.db, agentId, { ids }, ctx.clock.now()));
    return found.filter(({ id, removed_at }) => removed_at !== null || removed.has(id));
  });
  if (rows.length === 0) return null;
  const pending = open.reduce((sum, count) => sum + count.pending, 0);
  const older = { ...filter, before: rows.at(-1)?.id ?? 0 };
  const remaining = wanted.includeRemoved ? await countMatching(ctx.db, older) : Math.max(0, pending - rows.length);
  return {
    mentions: rows.map((row) => mentionRecord(ctx, row, channels.get(row.channel_id)?.slug ?? "")),
    count: rows.length,
    remaining,
    mark_read: wanted.markRead,
  };
}

/** Filters out channels the agent may no longer read; their mentions stay pending. */
async function readableAmong(
  ctx: AppContext,
  caller: AgentIdentity,
  counts: readonly MentionCount[],
  only: Channel | null,
): Promise<Map<number, Channel>> {
  const readable = new Map<number, Channel>();
  for (const id of new Set(counts.map(({ channelId }) => channelId))) {
    if (only !== null && only.id !== id) continue;
    const channel = await readableOrNull(ctx, caller, id);
    if (channel !== null) readable.set(id, channel);
  }
  return readable;
}

async function readableOrNull(ctx: AppContext, caller: AgentIdentity, id: number): Promise<Channel | null> {
  try {
    return await readableChannel(ctx, caller, { id });
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

function mentionRecord(ctx: AppContext, row: MentionRow, channelSlug: string): PendingMention {
  const mention = {
    mention_id: row.id,
    message_id: row.message_id,
    seq: row.seq,
    channel_id: row.channel_id,
    channel_slug: channelSlug,
    agent_name: row.agent_name,
    content: row.content,
    sender_type: row.sender_type,
    sender_name: row.sender_name,
    created_at: new Date(row.created_at).toISOString(),
  };
  return { ...mention, rendered: render(ctx, [mention]) };
}

const render = (ctx: AppContext, mentions: readonly Omit<PendingMention, "rendered">[]): string =>
  renderContext(MENTIONS, mentions.map(spokenMention), () => fenceWord(ctx.clock));

/** Returns the name as it is bound. A name that is not the agent's is returned unchanged: no mentions match it. */
async function ownName(ctx: AppContext, agentId: number, text: string): Promise<string> {
  const name = agentNameOf(text);
  if (name === null) throw invalidAgentName(text);
  if (isPlatformAgent(name)) return name;
  const holder = await findName(ctx.db, nameKey(name));
  return holder?.agent_id === agentId ? holder.name : name;
}

/** Removes mentions that were read with `mark_read=false`. Idempotent: mentions already removed do not count. */
export async function ackMentions(
  ctx: AppContext,
  caller: AgentIdentity,
  body: AckMentionsBody,
): Promise<{ acknowledged: number; remaining: number }> {
  const { mention_ids: ids, up_to_mention_id: upTo } = body;
  if ((ids === undefined) === (upTo === undefined)) {
    throw fail("invalid_request", {
      details: [{ path: "", message: "send either mention_ids or up_to_mention_id" }],
    });
  }
  const which = ids !== undefined ? { ids } : { upTo: upTo ?? 0 };
  const removed = await removeMentions(ctx.db, caller.agentId, which, ctx.clock.now());
  const counts = await countMentions(ctx.db, caller.agentId, null);
  return { acknowledged: removed.length, remaining: counts.reduce((sum, { pending }) => sum + pending, 0) };
}

function isCrowded(counts: readonly MentionCount[]): boolean {
  const byName = new Map<string, number>();
  for (const { agentName, pending } of counts) byName.set(agentName, (byName.get(agentName) ?? 0) + pending);
  return [...byName.values()].some((pending) => pending > PENDING_MENTIONS_MAX);
}

/** Drops the oldest pending mentions above 1,000 per name (protocol §5), of one agent or of all. */
export async function trimMentions(ctx: AppContext, agentId?: number): Promise<void> {
  for (const name of await crowdedNames(ctx.db, PENDING_MENTIONS_MAX, agentId)) {
    const dropped = await transact(ctx, async (ctx) => {
      const count = await dropOldest(ctx.db, name.agentId, name.agentName, PENDING_MENTIONS_MAX);
      await countDropped(ctx.db, name.agentId, count);
      return count;
    });
    ctx.log.info({ agentId: name.agentId, dropped }, "pending mentions were dropped");
  }
}

/** Keeps the table small: drops the excess and purges mentions removed more than a day ago. Runs off the send path. */
export async function sweepMentions(ctx: AppContext): Promise<void> {
  await trimMentions(ctx);
  await purgeRemoved(ctx.db, ctx.clock.now() - KEEP_REMOVED_MS);
}

/** Sweeps every minute until the server stops. */
export function startMentionSweep(ctx: AppContext): void {
  runOnOne(ctx, "sweep mentions", SWEEP_MS, "the sweep of mentions failed", () => sweepMentions(ctx));
}
