import { MessageParams } from "@parley/protocol/messages";
import { MarkUnreadBody } from "@parley/protocol/reading";
import {
  FollowThreadResponse,
  ReadThreadBody,
  ReadThreadResponse,
  ThreadQuery,
  ThreadResponse,
  ThreadsQuery,
  ThreadsResponse,
  UpdateThreadBody,
  UpdateThreadResponse,
} from "@parley/protocol/thread-calls";
import { ReadyJson, type Route, route } from "../../http/route.ts";
import { markThreadRead, markThreadUnread } from "./thread-marks.ts";
import { followedThreads, followThread, lockThread, readThread } from "./threads.service.ts";

const ROOT_ERRORS = [
  "invalid_id",
  "message_not_found",
  "not_a_thread_root",
  "password_required",
  "banned",
  "channel_not_found",
] as const;

/** Routes for threads (protocol §13.1). */
export const threadRoutes: readonly Route[] = [
  route({
    name: "readThread",
    method: "GET",
    path: "/api/messages/:messageId/thread",
    summary:
      "Read a thread: the message that began it, then the replies, oldest to newest; the newest page by default.",
    tag: "Threads",
    auth: "guest",
    scope: "read",
    documentedActs: "read history",
    params: MessageParams,
    query: ThreadQuery,
    invalid: {
      limit: "invalid_limit",
      before: "invalid_cursor",
      after: "invalid_cursor",
      after_seq: "invalid_cursor",
    },
    answers: { 200: ThreadResponse },
    errors: [...ROOT_ERRORS, "invalid_limit", "invalid_cursor", "session_required"],
    async handle({ ctx, caller, params, query }) {
      const { channel, page, rootJson, lastReadSeq, unreadFromSeq } = await readThread(
        ctx,
        caller,
        params.messageId,
        query,
      );
      const ascends = query.after !== undefined || query.after_seq !== undefined;
      const rest = {
        has_more: page.hasMore,
        next_before: page.nextBefore,
        ...(ascends ? { next_after_seq: page.nextAfterSeq } : {}),
        last_seq: page.lastSeq,
        last_read_seq: lastReadSeq,
        unread_from_seq: unreadFromSeq,
        limit: page.limit,
      };
      const json = `{"success":true,"channel_id":${channel.id},"root":${rootJson},"messages":${page.messagesJson},${JSON.stringify(rest).slice(1)}`;
      return new ReadyJson(json, 200);
    },
  }),
  route({
    name: "listThreads",
    method: "GET",
    path: "/api/threads",
    summary: "List the threads that the caller follows, that with the newest reply first.",
    tag: "Threads",
    auth: "session",
    documentedActs: "own threads",
    query: ThreadsQuery,
    invalid: { channel_id: "invalid_id", limit: "invalid_limit", before: "invalid_cursor" },
    answers: { 200: ThreadsResponse },
    errors: ["channel_not_found", "password_required", "banned", "invalid_id", "invalid_limit", "invalid_cursor"],
    async handle({ ctx, caller, query }) {
      const { threadsJson, ...rest } = await followedThreads(ctx, caller, query);
      return new ReadyJson(`{"success":true,"threads":${threadsJson},${JSON.stringify(rest).slice(1)}`, 200);
    },
  }),
  route({
    name: "followThread",
    method: "PUT",
    path: "/api/messages/:messageId/thread/follow",
    summary: "Follow a thread. Repeating it changes nothing.",
    tag: "Threads",
    auth: "session",
    documentedActs: "follow thread",
    params: MessageParams,
    rates: [{ policy: "threadFollow", by: "identity" }],
    answers: { 200: FollowThreadResponse },
    errors: [...ROOT_ERRORS, "message_deleted"],
    handle: ({ ctx, caller, params }) => followThread(ctx, caller, params.messageId, true),
  }),
  route({
    name: "unfollowThread",
    method: "DELETE",
    path: "/api/messages/:messageId/thread/follow",
    summary: "No longer follow a thread, until a reply of one's own. Repeating it changes nothing.",
    tag: "Threads",
    auth: "session",
    documentedActs: "follow thread",
    params: MessageParams,
    rates: [{ policy: "threadFollow", by: "identity" }],
    answers: { 200: FollowThreadResponse },
    errors: ROOT_ERRORS,
    handle: ({ ctx, caller, params }) => followThread(ctx, caller, params.messageId, false),
  }),
  route({
    name: "markThreadRead",
    method: "POST",
    path: "/api/messages/:messageId/thread/read",
    summary: "Mark a thread that the caller follows as read.",
    tag: "Threads",
    auth: "session",
    documentedActs: "follow thread",
    params: MessageParams,
    body: ReadThreadBody,
    bodyOptional: true,
    answers: { 200: ReadThreadResponse },
    errors: ROOT_ERRORS,
    handle: ({ ctx, caller, params, body }) => markThreadRead(ctx, caller, params.messageId, body.seq ?? null),
  }),
  route({
    name: "markThreadUnread",
    method: "POST",
    path: "/api/messages/:messageId/thread/unread",
    summary: "Mark a thread that the caller follows as unread from one of its messages on.",
    tag: "Threads",
    auth: "session",
    documentedActs: "follow thread",
    params: MessageParams,
    body: MarkUnreadBody,
    answers: { 200: ReadThreadResponse },
    errors: ROOT_ERRORS,
    handle: ({ ctx, caller, params, body }) => markThreadUnread(ctx, caller, params.messageId, body.seq),
  }),
  route({
    name: "updateThread",
    method: "PUT",
    path: "/api/messages/:messageId/thread",
    summary: "Lock or unlock a thread. In a locked one only the channel's admins reply.",
    tag: "Threads",
    auth: "session",
    documentedActs: "lock thread",
    params: MessageParams,
    body: UpdateThreadBody,
    answers: { 200: UpdateThreadResponse },
    errors: [...ROOT_ERRORS, "forbidden", "message_deleted"],
    async handle({ ctx, caller, params, body }) {
      const json = await lockThread(ctx, caller, params.messageId, body.is_locked);
      return new ReadyJson(`{"success":true,"chat_message":${json}}`, 200);
    },
  }),
];
