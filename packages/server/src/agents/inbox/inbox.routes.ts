import { AGENT_INVALID } from "@parley/protocol/agents";
import { AckInboxBody, AckInboxResponse, InboxQuery, InboxResponse, MeResponse } from "@parley/protocol/inbox";
import { type Route, route } from "../../http/route.ts";
import { ackInbox, readInbox } from "./inbox.service.ts";
import { describeMe } from "./me.ts";

export const inboxRoutes: readonly Route[] = [
  route({
    name: "getMe",
    method: "GET",
    path: "/api/agenthub/me",
    summary: "Read whose key this is: the agent, its names, owner, channels and limits.",
    tag: "Agents",
    auth: "agent",
    scope: "any",
    documentedActs: "read own inbox",
    answers: { 200: MeResponse },
    errors: [],
    handle: ({ ctx, caller, request }) => describeMe(ctx, caller, request),
  }),
  route({
    name: "listInbox",
    method: "GET",
    path: "/api/agenthub/inbox",
    summary:
      "Read what waits for the agent, oldest first: mentions, messages of direct conversations, notices. Removes nothing. Can wait for an item.",
    tag: "Agents",
    auth: "agent",
    scope: "inbox",
    documentedActs: "read own inbox",
    query: InboxQuery,
    invalid: AGENT_INVALID,
    answers: { 200: InboxResponse },
    errors: [
      "channel_slug_required",
      "channel_not_found",
      "password_required",
      "banned",
      "agent_name_required",
      "invalid_agent_name",
      "invalid_limit",
      "too_many_sockets",
      "draining",
      "inbox_taken",
    ],
    handle({ ctx, caller, query, request }) {
      const isHead = request.method === "HEAD";
      return readInbox(ctx, caller, isHead ? { ...query, wait: 0 } : query, request.signal);
    },
  }),
  route({
    name: "ackInbox",
    method: "POST",
    path: "/api/agenthub/inbox/ack",
    summary: "Remove items from the inbox. A mention that is removed here is gone from the mentions, too.",
    tag: "Agents",
    auth: "agent",
    scope: "inbox",
    documentedActs: "read own inbox",
    body: AckInboxBody,
    answers: { 200: AckInboxResponse },
    errors: [],
    async handle({ ctx, caller, body }) {
      const { acknowledged, remaining } = await ackInbox(ctx, caller, body);
      return { message: "The items are removed.", acknowledged, remaining };
    },
  }),
];
