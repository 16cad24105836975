import { SEARCH_HIGHLIGHTS_MAX } from "@parley/protocol/limits";
import type { FoundMessage } from "@parley/protocol/search";
import { PLATFORM_AGENT } from "../accounts/names/agent-names.ts";
import { lookUpNames } from "../accounts/names/name-directory.ts";
import { nameKey } from "../accounts/names/names.ts";
import { type AgentView, viewOf } from "../agents/prompt/authority.ts";
import { envelope, spokenIn } from "../agents/prompt/envelope.ts";
import { type Envelope, FOUND } from "../agents/prompt/render-context.ts";
import { isBlank } from "../base/visible-text.ts";
import { readableChannel } from "../channels/access/access.ts";
import type { Channel, ChannelRef } from "../channels/channel.ts";
import type { AppContext } from "../context.ts";
import type { Millis } from "../db/columns.ts";
import type { Term } from "../db/search-index/search-index.ts";
import { AppError, fail } from "../errors.ts";
import { recordJson } from "../event-log/message-json.ts";
import type { Identity } from "../http/identity.ts";
import { clampLimit } from "../http/pages.ts";
import { actorOf, differingOf, withOwnFields } from "../messages/own-fields.ts";

import { type Facts, holds } from "./facts.ts";
import { agentToken, channelToken, searchConsumer, userToken } from "./index/message-index.ts";
import { parseQuery, QueryProblem } from "./query.ts";
import { fewChannels } from "./search.store.ts";
import { type Hit, walkIndex } from "./walk.ts";

export interface SearchRequest {
  /** Optional with a sender, and with facts in a channel. */
  query: string | undefined;
  /** The channel to search; without `id` and `slug`, all channels that the caller may read. */
  channel: ChannelRef;
  /** Restricts the search to messages of this user or agent. */
  username: string | undefined;
  /** Restricts the search to messages of which all of this holds. */
  facts: Facts;
  /** Restricts the search to messages sent at this time or later. */
  since: Millis | undefined;
  /** Restricts the search to messages sent before this time. */
  until: Millis | undefined;
  /** Message id, exclusive. */
  before: number | undefined;
  limit: number | undefined;
  /** Renders the results for the model of an agent, in at most that many characters; null: not. */
  context: { maxChars: number | undefined } | null;
}

export interface SearchPage {
  /** JSON list of records with `highlights`, newest first. */
  messagesJson: string;
  hasMore: boolean;
  nextBefore: number | null;
  limit: number;
  /** False when the index lags behind, so that the newest messages may be missing. */
  indexed: boolean;
  envelope: Envelope | null;
}

/** The maximum number of channels named to the index one by one. */
const SCOPE_MAX = 100;
/** The lag from which the index counts as behind. A second's worth of messages of a busy server is not reported. */
const BEHIND_MAX = 2_000;

/**
 * Finds messages that the caller may read. Administrators search a private channel of which they are not a member only
 * by naming it; this is logged like reading. Agents get each message with `authority`. Errors: `query_required`,
 * `invalid_query`, `user_not_found`, `invalid_request` (a context for somebody who is not an agent), and those of
 * `readableChannel`.
 */
export async function searchMessages(ctx: AppContext, caller: Identity, request: SearchRequest): Promise<SearchPage> {
  const { query, before, since, until } = request;
  const limit = clampLimit(request.limit);
  if (caller.kind === "guest" && !ctx.config.guestRead) throw fail("session_required");
  if (caller.kind !== "agent" && request.context !== null) {
    throw fail("invalid_request", { details: [{ path: "format", message: "context requires an agent's key" }] });
  }
  const { channel: ref, username, facts } = request;
  const isNamed = ref.id !== undefined || ref.slug !== undefined;
  const isOwn = caller.kind === "user" && facts.is.includes("mine");
  const isNarrowed = username !== undefined || isOwn || (isNamed && facts.has.length + facts.is.length > 0);
  const terms = termsOf(query, isNarrowed);
  const channel = isNamed ? await readableChannel(ctx, caller, ref) : null;
  const also = channel === null ? [] : [channelToken(channel.id)];
  if (username !== undefined) also.push(await senderToken(ctx, username));
  if (isOwn) also.push(userToken(caller.userId));
  const { hits, hasMore, nextBefore } = await walkIndex(ctx, {
    terms,
    also,
    before,
    since,
    until,
    limit,
    fits: (row) => holds(facts, row, caller),
    readable: channel === null ? readableTo(ctx, caller) : (id) => (id === channel.id ? channel : null),
    narrow: async () =>
      channel === null ? ((await fewChannels(ctx.db, caller, SCOPE_MAX))?.map(channelToken) ?? null) : null,
  });
  const json = `[${hits.map(hitJson).join(",")}]`;
  const differing = differingOf(hits.map(({ row }) => row));
  const messagesJson = await withOwnFields(ctx, actorOf(caller), { json, ...differing });
  const page = { hasMore, nextBefore, limit, indexed: searchConsumer(ctx).behind <= BEHIND_MAX };
  if (caller.kind !== "agent") return { ...page, messagesJson, envelope: null };
  const view = await viewOf(ctx, caller, JSON.parse(messagesJson) as FoundMessage[]);
  return { ...page, messagesJson: JSON.stringify(view.messages), envelope: rendered(ctx, view, request.context) };
}

function rendered(ctx: AppContext, view: AgentView, context: SearchRequest["context"]): Envelope | null {
  if (context === null) return null;
  return envelope(ctx, FOUND, spokenIn(view, { channels: true }).reverse(), context.maxChars);
}

/** Returns the terms of a query. One that is narrowed otherwise, by a sender or a channel, needs none. */
function termsOf(query: string | undefined, isNarrowed: boolean): readonly Term[] {
  if (query === undefined && isNarrowed) return [];
  if (query === undefined || isBlank(query)) throw fail("query_required");
  const terms = parseQuery(query);
  if (terms instanceof QueryProblem) throw fail("invalid_query", { message: terms.text });
  return terms;
}

async function senderToken(ctx: AppContext, username: string): Promise<string> {
  const key = nameKey(username);
  if (key === nameKey(PLATFORM_AGENT)) return agentToken(PLATFORM_AGENT);
  const named = (await lookUpNames(ctx, [key])).get(key);
  if (named === undefined || named === null) throw fail("user_not_found");
  return named.kind === "user" ? userToken(named.id) : agentToken(named.name);
}

/**
 * Returns a function that looks up a channel if the caller may read it, by the same rule as reading, once per channel.
 * Access by administrator level alone does not count: the caller must name such a channel.
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

/** Returns null if the act is refused. */
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
