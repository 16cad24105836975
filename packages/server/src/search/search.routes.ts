import { SearchQuery, SearchResponse } from "@parley/protocol/search";
import { refOf } from "../channels/channel.ts";
import { ReadyJson, type Route, route } from "../http/route.ts";
import { factsOf } from "./facts.ts";
import { searchMessages } from "./search.service.ts";

const timeOf = (text: string | undefined) => (text === undefined ? undefined : Date.parse(text));

export const searchRoutes: readonly Route[] = [
  route({
    name: "searchMessages",
    method: "GET",
    path: "/api/search/messages",
    summary: 'Search messages, newest first, for words that must all occur, "phrases" and prefixes such as begin*.',
    tag: "Messages",
    auth: "guest",
    scope: "read",
    documentedActs: "read history",
    query: SearchQuery,
    invalid: {
      q: ["query_required", "invalid_query"],
      channel_id: "invalid_id",
      limit: "invalid_limit",
      before: "invalid_cursor",
    },
    rates: [{ policy: "search", by: "identity" }],
    answers: { 200: SearchResponse },
    errors: [
      "query_required",
      "invalid_query",
      "invalid_id",
      "invalid_limit",
      "invalid_cursor",
      "channel_not_found",
      "password_required",
      "banned",
      "session_required",
      "user_not_found",
    ],
    async handle({ ctx, caller, query }) {
      const { q, username, before, limit, max_chars: maxChars } = query;
      const [since, until] = [timeOf(query.since), timeOf(query.until)];
      const channel = refOf(query);
      const context = query.format === "context" ? { maxChars } : null;
      const facts = factsOf(query.has, query.is);
      const wanted = { query: q, channel, username, facts, since, until, before, limit, context };
      const page = await searchMessages(ctx, caller, wanted);
      const rest = {
        has_more: page.hasMore,
        next_before: page.nextBefore,
        limit: page.limit,
        indexed: page.indexed,
        ...page.envelope,
      };
      return new ReadyJson(
        `{"success":true,"query":${JSON.stringify(q ?? "")},"messages":${page.messagesJson},${JSON.stringify(rest).slice(1)}`,
        200,
      );
    },
  }),
];
