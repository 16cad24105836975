import type { AckMentionsBody, MentionsQuery } from "@parley/protocol/agents";
import type { FileRecord } from "@parley/protocol/files";
import { CONTEXT_CHARS } from "@parley/protocol/limits";
import type { PendingMention } from "@parley/protocol/models";
import { agentNameOf, invalidAgentName, isPlatformAgent } from "../../accounts/names/agent-names.ts";
import { nameKey } from "../../accounts/names/names.ts";
import { isoTime } from "../../base/iso-time.ts";
import { readableChannel } from "../../channels/access/access.ts";
import type { Channel } from "../../channels/channel.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { AppError, fail } from "../../errors.ts";
import { storedCard } from "../../event-log/stored-card.ts";
import type { AgentIdentity } from "../../http/identity.ts";
import { placesInScope } from "../../http/key-scopes.ts";
import { clampLimit } from "../../http/pages.ts";
import {
  countMatching,
  countMentions,
  findMentions,
  type MentionRow,
  removeMentions,
} from "../../messages/mentions/mention-rows.ts";
import { agentTopic } from "../../realtime/topics.ts";
import { findName } from "../agents.store.ts";
import { poll } from "../events/long-poll.ts";
import { isCrowded, KEEP_REMOVED_MS, pendingWithinLimit, trimInbox } from "../inbox/inbox-limits.ts";
import { seenBy } from "../prompt/authority.ts";
import { envelope } from "../prompt/envelope.ts";
import { type Envelope, MENTIONS } from "../prompt/render-context.ts";
import { spokenMention } from "../prompt/spoken.ts";

export interface MentionsPage {
  mentions: PendingMention[];
  count: number;
  remaining: number;
  mark_read: boolean;
  rendered?: string;
  omitted?: number;
}

/**
 * Returns the agent's mentions, oldest first, or newest first when removed ones are included. Removes them unless
 * `mark_read` is false (protocol §5). With concurrent readers each mention goes to one of them. Mentions that `rendered`
 * leaves out are not removed.
 * Errors: those of `readableChannel` for a named channel.
 */
export async function readMentions(
  ctx: AppContext,
  caller: AgentIdentity,
  query: MentionsQuery,
  signal: AbortSignal,
): Promise<MentionsPage> {
  const markRead = query.mark_read ?? true;
  checkCursors(query);
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
      after: query.after_mention_id ?? null,
      limit: query.limit,
      maxChars: query.format === "context" ? (query.max_chars ?? CONTEXT_CHARS) : null,
      signal,
    }),
  );
  const answer = page ?? { mentions: [], count: 0, remaining: 0, mark_read: markRead };
  return query.format === "context" ? { ...answer, ...render(ctx, answer.mentions, query.max_chars) } : answer;
}

/** Checks that a cursor is used with the order that it belongs to. Errors: `invalid_request`. */
function checkCursors(query: MentionsQuery): void {
  const isNewestFirst = query.include_removed === true;
  const [path, message] = isNewestFirst
    ? (["after_mention_id", "must not be used with include_removed=true"] as const)
    : (["before_mention_id", "requires include_removed=true"] as const);
  if (query[path] !== undefined) throw fail("invalid_request", { details: [{ path, message }] });
}

interface Wanted {
  only: Channel | null;
  agentName: string | null;
  markRead: boolean;
  includeRemoved: boolean;
  /** The id of the last mention of the previous page; null: the first page. */
  before: number | null;
  /** Only mentions with a larger id; null: all. */
  after: number | null;
  limit: number | undefined;
  /** The length of `rendered`; null without it. */
  maxChars: number | null;
  /** Nothing is removed if the client has disconnected. */
  signal: AbortSignal;
}

/** Returns null if there are none. */
async function takeMentions(ctx: AppContext, caller: AgentIdentity, wanted: Wanted): Promise<MentionsPage | null> {
  const { agentId } = caller;
  const removedAfter = wanted.includeRemoved ? ctx.clock.now() - KEEP_REMOVED_MS : null;
  let counts = await countMentions(ctx.db, agentId, removedAfter);
  if (isCrowded(counts)) {
    await trimInbox(ctx, agentId);
    counts = await countMentions(ctx.db, agentId, removedAfter);
  }
  const channels = await readableAmong(ctx, caller, counts, wanted.only);
  const open = counts.filter(
    (count) => channels.has(count.channelId) && (wanted.agentName === null || count.agentName === wanted.agentName),
  );
  if (open.length === 0) return null;
  const { agentName, before, after } = wanted;
  const filter = { agentId, channelIds: [...channels.keys()], agentName, removedAfter, before, after };
  const limit = clampLimit(wanted.limit);
  const rows = await transact(ctx, async (ctx) => {
    const found = await findMentions(ctx.db, filter, limit);
    if (!wanted.markRead) return found;
    if (wanted.signal.aborted) return [];
    const kept = new Set(await omittedOf(ctx, caller, found, channels, wanted.maxChars));
    const ids = found.flatMap(({ id, removed_at }) => (removed_at === null && !kept.has(id) ? [id] : []));
    const removed = new Set(await removeMentions(ctx.db, agentId, { ids }, ctx.clock.now()));
    return found.filter(({ id, removed_at }) => removed_at !== null || kept.has(id) || removed.has(id));
  });
  if (rows.length === 0) return null;
  const pending = open.reduce((sum, count) => sum + count.pending, 0);
  const last = rows.at(-1)?.id ?? 0;
  const rest = wanted.includeRemoved ? { ...filter, before: last } : after === null ? null : { ...filter, after: last };
  const remaining = rest === null ? Math.max(0, pending - rows.length) : await countMatching(ctx.db, rest);
  return {
    mentions: await mentionRecords(ctx, caller, rows, channels),
    count: rows.length,
    remaining,
    mark_read: wanted.markRead,
  };
}

/** Filters out channels the agent may no longer read; their mentions stay pending. */
export async function readableAmong(
  ctx: AppContext,
  caller: AgentIdentity,
  counts: readonly { channelId: number }[],
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

async function mentionRecords(
  ctx: AppContext,
  caller: AgentIdentity,
  rows: readonly MentionRow[],
  channels: ReadonlyMap<number, Channel>,
): Promise<PendingMention[]> {
  const seen = await seenBy(
    ctx,
    caller,
    rows.map((row) => row.message_id),
  );
  return rows.map((row) => {
    const forwarded = storedCard(row)?.forwarded;
    const mention = {
      mention_id: row.id,
      message_id: row.message_id,
      seq: row.seq,
      channel_id: row.channel_id,
      channel_slug: channels.get(row.channel_id)?.slug ?? "",
      agent_name: row.agent_name,
      content: row.content,
      thread_root_id: row.thread_root_id,
      sender_type: row.webhook_id === null ? row.sender_type : ("webhook" as const),
      sender_name: row.sender_name,
      authority: seen(row.message_id).authority,
      files: row.files === null ? [] : (JSON.parse(row.files) as FileRecord[]),
      ...(forwarded === undefined ? {} : { forwarded }),
      created_at: isoTime(row.created_at),
    };
    return { ...mention, rendered: render(ctx, [mention]).rendered };
  });
}

/** Returns the ids of the mentions that do not fit into `rendered`. */
async function omittedOf(
  ctx: AppContext,
  caller: AgentIdentity,
  rows: readonly MentionRow[],
  channels: ReadonlyMap<number, Channel>,
  maxChars: number | null,
): Promise<number[]> {
  if (maxChars === null) return [];
  const mentions = await mentionRecords(ctx, caller, rows, channels);
  const { omitted } = render(ctx, mentions, maxChars);
  return oldestFirst(mentions)
    .slice(0, omitted)
    .map(({ mention_id }) => mention_id);
}

const oldestFirst = <M extends Pick<PendingMention, "mention_id">>(mentions: readonly M[]): M[] =>
  mentions.toSorted((one, other) => one.mention_id - other.mention_id);

const render = (
  ctx: AppContext,
  mentions: readonly Omit<PendingMention, "rendered">[],
  maxChars?: number | undefined,
): Envelope => envelope(ctx, MENTIONS, oldestFirst(mentions).map(spokenMention), maxChars);

/** Returns the name as it is bound. A name that is not the agent's is returned unchanged: no mentions match it. */
export async function ownName(ctx: AppContext, agentId: number, text: string): Promise<string> {
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
  const places = placesInScope(caller);
  const removed = await removeMentions(ctx.db, caller.agentId, which, ctx.clock.now(), places);
  return { acknowledged: removed.length, remaining: await pendingWithinLimit(ctx, caller.agentId, "mention", places) };
}
