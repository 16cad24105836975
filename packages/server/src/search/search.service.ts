import { SEARCH_HIGHLIGHTS_MAX } from "@parley/protocol/limits";
import { lookUpNames } from "../accounts/name-directory.ts";
import { nameKey } from "../accounts/names.ts";
import { PLATFORM_AGENT } from "../agents/agent-names.ts";
import { readableChannel } from "../channels/access.ts";
import type { Channel, ChannelRef } from "../channels/channel-cache.ts";
import type { AppContext } from "../context.ts";
import { AppError, fail } from "../errors.ts";
import type { Identity } from "../http/identity.ts";
import { clampLimit } from "../http/pages.ts";
import { isBlank } from "../messages/blank.ts";
import { actorOf, reactedOf, withOwnReactions } from "../messages/own-reactions.ts";
import { recordJson } from "../messages/record.ts";
import { searchFollower } from "./indexing.ts";
import { agentToken, channelToken, userToken } from "./message-index.ts";
import { parseQuery, QueryProblem } from "./query.ts";
import { fewChannels } from "./search.store.ts";
import { type Hit, walkIndex } from "./walk.ts";

export interface SearchRequest {
  query: string;
  /** Only this channel; without `id` and `slug`: all that the caller may read. */
  channel: ChannelRef;
  /** Only what this user or agent sent. */
  username: string | undefined;
  /** Message id, exclusive. */
  before: number | undefined;
  limit: number | undefined;
}

export interface SearchPage {
  /** JSON list of records with `highlights`, newest first. */
  messagesJson: string;
  hasMore: boolean;
  nextBefore: number | null;
  limit: number;
  /** False: the index is behind, so that the newest messages may be missing. */
  indexed: boolean;
}

/** More channels than these are not named to the index one by one. */
const SCOPE_MAX = 100;
/** So many numbers may wait for the index before it counts as behind: a second's worth of a busy server is no reason to warn. */
const BEHIND_MAX = 2_000;

/**
 * Finds messages in what the caller may read. An administrator searches a private channel he is not in only by naming it, which is written
 * down as reading is. Errors: `query_required`, `invalid_query`, `user_not_found`, and those of `readableChannel`.
 */
export async function searchMessages(ctx: AppContext, caller: Identity, request: SearchRequest): Promise<SearchPage> {
  const { query, before } = request;
  const limit = clampLimit(request.limit);
  if (caller.kind === "guest" && !ctx.config.guestRead) throw fail("session_required");
  if (isBlank(query)) throw fail("query_required");
  const terms = parseQuery(query);
  if (terms instanceof QueryProblem) throw fail("invalid_query", { message: terms.text });
  const { channel: ref, username } = request;
  const isNamed = ref.id !== undefined || ref.slug !== undefined;
  const channel = isNamed ? await readableChannel(ctx, caller, ref) : null;
  const also = channel === null ? [] : [channelToken(channel.id)];
  if (username !== undefined) also.push(await senderToken(ctx, username));
  const { hits, hasMore, nextBefore } = await walkIndex(ctx, {
    terms,
    also,
    before,
    limit,
    readable: channel === null ? readableTo(ctx, caller) : (id) => (id === channel.id ? channel : null),
    narrow: async () =>
      channel === null ? ((await fewChannels(ctx.db, caller, SCOPE_MAX))?.map(channelToken) ?? null) : null,
  });
  const json = `[${hits.map(hitJson).join(",")}]`;
  const reactedIds = reactedOf(hits.map(({ row }) => row));
  const messagesJson = await withOwnReactions(ctx, actorOf(caller), { json, reactedIds });
  return { messagesJson, hasMore, nextBefore, limit, indexed: searchFollower(ctx).behind <= BEHIND_MAX };
}

async function senderToken(ctx: AppContext, username: string): Promise<string> {
  const key = nameKey(username);
  if (key === nameKey(PLATFORM_AGENT)) return agentToken(PLATFORM_AGENT);
  const named = (await lookUpNames(ctx, [key])).get(key);
  if (named === undefined || named === null) throw fail("user_not_found");
  return named.kind === "user" ? userToken(named.id) : agentToken(named.name);
}

/**
 * Answers which channels the caller may read, by the same rule as reading, each asked once. What he may only as an administrator does not
 * count: he has to name it.
 */
function readableTo(
  ctx: AppContext,
  caller: Identity,
): (channelId: number) => Channel | null | Promise<Channel | null> {
  const plain: Identity = caller.kind === "user" ? { ...caller, adminLevel: null } : caller;
  const known = new Map<number, Channel | null>();
  const ask = async (id: number): Promise<Channel | null> => {
    const channel = await orNull(async () => readableChannel(ctx, plain, { id }));
    known.set(id, channel);
    return channel;
  };
  return (id) => {
    const found = known.get(id);
    return found === undefined ? ask(id) : found;
  };
}

/** A refusal is an answer here. */
async function orNull<T>(act: () => Promise<T>): Promise<T | null> {
  try {
    return await act();
  } catch (error) {
    const isRefusal = error instanceof AppError && (error.status < 500 || error.code === "payments_not_configured");
    if (isRefusal) return null;
    throw error;
  }
}

function hitJson({ row, channel, highlights }: Hit): string {
  const shown = JSON.stringify(highlights.slice(0, SEARCH_HIGHLIGHTS_MAX));
  return `${recordJson(row, channel.slug).slice(0, -1)},"highlights":${shown}}`;
}
