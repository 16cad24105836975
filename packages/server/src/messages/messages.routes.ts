import { ChannelParams, PinsResponse } from "@parley/protocol/channels";
import { REPLY_ERRORS, SENT_FILE_ERRORS } from "@parley/protocol/command-errors";
import {
  CONTENT_INVALID,
  DeleteMessageResponse,
  EditMessageBody,
  EditMessageResponse,
  HistoryQuery,
  HistoryResponse,
  MESSAGE_READ_ONLY,
  MessageParams,
  SendMessageBody,
  SendMessageResponse,
  SendMessagesBody,
  SendMessagesResponse,
} from "@parley/protocol/messages";
import { andThen } from "../base/maybe-promise.ts";
import { readableChannel, writableChannel } from "../channels/access/access.ts";
import { refOf } from "../channels/channel.ts";
import { lastingKey, SEND_KEY } from "../http/idempotency.ts";
import { ReadyJson, type Route, route } from "../http/route.ts";
import { checkContent, mayBeEmpty, postMessage, sendFields } from "./append/post-message.ts";
import { exportRoutes } from "./export/export.routes.ts";
import { describeFileRoutes } from "./files/describe-file.routes.ts";
import { historyAnswer, historyFor, plainPage } from "./history/history.service.ts";
import { guardRoutes } from "./loop-guard/loop-guard.routes.ts";
import { deleteMessage, editMessage } from "./messages.service.ts";
import { listPins } from "./pins.service.ts";
import { sendMany } from "./send-many.ts";

const CHANNEL_ERRORS = ["channel_not_found", "password_required", "banned"] as const;
/** What a send of text may answer. */
const SEND_ERRORS = [
  ...CHANNEL_ERRORS,
  "channel_id_required",
  "content_required",
  "message_too_long",
  ...REPLY_ERRORS,
  "muted",
  "not_a_member",
  "post_policy",
  "blocked",
  "user_blocked",
  "direct_not_allowed",
  "here_not_allowed",
  "here_rate_limited",
  "slow_mode",
  "idempotency_key_invalid",
  "idempotency_conflict",
  "overloaded",
] as const;

export const messageRoutes: readonly Route[] = [
  route({
    name: "listMessages",
    method: "GET",
    path: "/api/messages",
    summary: "Read a channel's messages, oldest to newest; the newest page by default.",
    tag: "Messages",
    auth: "guest",
    scope: "read",
    documentedActs: "read history",
    query: HistoryQuery,
    invalid: {
      channel_id: ["channel_id_required", "invalid_id"],
      limit: "invalid_limit",
      before: "invalid_cursor",
      after: "invalid_cursor",
      after_seq: "invalid_cursor",
      since: "invalid_cursor",
      around: "invalid_cursor",
      ids: "invalid_cursor",
    },
    answers: { 200: HistoryResponse },
    errors: [
      ...CHANNEL_ERRORS,
      "channel_id_required",
      "invalid_id",
      "invalid_cursor",
      "invalid_limit",
      "session_required",
    ],
    handle({ ctx, caller, query }) {
      const { before, after, after_seq: afterSeq, around, limit } = query;
      const ids = query.ids?.split(",").map(Number);
      const collapses = query.threads === "collapse";
      const since = query.since === undefined ? undefined : Date.parse(query.since);
      const ascends = [after, afterSeq, since, around].some((cursor) => cursor !== undefined);
      const found = readableChannel(ctx, caller, refOf(query));
      return andThen(found, (channel) =>
        andThen(
          historyFor(ctx, caller, channel, { limit, before, after, afterSeq, since, around, ids, collapses }),
          (page) => historyAnswer(channel, query.format === "plain" ? plainPage(page) : page, ascends),
        ),
      );
    },
  }),
  route({
    name: "sendMessage",
    method: "POST",
    path: "/api/messages",
    summary: "Send a message: text, a sticker, or both. Sending to a public channel joins it.",
    tag: "Messages",
    auth: "session",
    documentedActs: "send",
    body: SendMessageBody,
    invalid: CONTENT_INVALID,
    readOnly: MESSAGE_READ_ONLY,
    reads: [SEND_KEY],
    rates: [{ policy: "userSend", by: "identity" }],
    status: 201,
    answers: { 201: SendMessageResponse, 200: SendMessageResponse },
    errors: [...SEND_ERRORS, "sticker_not_found", ...SENT_FILE_ERRORS],
    async handle({ ctx, caller, body, request }) {
      const content = body.content ?? "";
      const fields = sendFields(body);
      checkContent(content, mayBeEmpty(fields));
      const channel = await writableChannel(ctx, caller, refOf(body));
      const posted = await postMessage(ctx, {
        caller,
        channel,
        content,
        ...fields,
        clientMsgId: body.client_msg_id ?? lastingKey(request),
      });
      return new ReadyJson(
        `{"success":true,"message_id":${posted.id},"seq":${posted.seq},"deduplicated":${posted.deduplicated},"chat_message":${posted.json}}`,
        posted.deduplicated ? 200 : 201,
      );
    },
  }),
  route({
    name: "sendMessages",
    method: "POST",
    path: "/api/messages/send-many",
    summary: "Send 2 to 5 messages that follow each other: all or none. For a text that is too long for one.",
    tag: "Messages",
    auth: "session",
    documentedActs: "send",
    body: SendMessagesBody,
    invalid: { "messages.*.content": CONTENT_INVALID.content },
    reads: [SEND_KEY],
    rates: [{ policy: "userSend", by: "identity" }],
    status: 201,
    answers: { 201: SendMessagesResponse, 200: SendMessagesResponse },
    errors: [...SEND_ERRORS],
    async handle({ ctx, caller, body, request }) {
      const { channel, records, deduplicated } = await sendMany(ctx, caller, body, lastingKey(request));
      const head = JSON.stringify({ success: true, channel_id: channel.id, channel_slug: channel.slug });
      const json = `${head.slice(0, -1)},"messages":[${records.join(",")}],"deduplicated":${deduplicated}}`;
      return new ReadyJson(json, deduplicated ? 200 : 201);
    },
  }),
  route({
    name: "editMessage",
    method: "PUT",
    path: "/api/messages/:messageId",
    summary: "Edit the caller's own message.",
    tag: "Messages",
    auth: "member",
    scope: "send",
    documentedActs: "edit message",
    params: MessageParams,
    body: EditMessageBody,
    invalid: CONTENT_INVALID,
    readOnly: [...MESSAGE_READ_ONLY, "channel_id"],
    answers: { 200: EditMessageResponse },
    errors: [
      ...CHANNEL_ERRORS,
      "message_not_found",
      "forbidden",
      "muted",
      "post_policy",
      "blocked",
      "user_blocked",
      "direct_not_allowed",
      "agents_not_allowed",
      "message_deleted",
      "message_has_interaction",
      "forward_not_editable",
      "budget_exhausted",
      "content_required",
      "message_too_long",
    ],
    async handle({ ctx, caller, params, body }) {
      const { json } = await editMessage(ctx, caller, params.messageId, body.content);
      return new ReadyJson(`{"success":true,"message":"The message is changed.","chat_message":${json}}`, 200);
    },
  }),
  route({
    name: "deleteMessage",
    method: "DELETE",
    path: "/api/messages/:messageId",
    summary: "Delete a message. A tombstone remains.",
    tag: "Messages",
    auth: "member",
    scope: "send",
    documentedActs: "delete message",
    params: MessageParams,
    answers: { 200: DeleteMessageResponse },
    errors: [...CHANNEL_ERRORS, "message_not_found", "forbidden"],
    async handle({ ctx, caller, params }) {
      await deleteMessage(ctx, caller, params.messageId);
      return { message: "The message is deleted.", message_id: params.messageId };
    },
  }),
  route({
    name: "listPins",
    method: "GET",
    path: "/api/channels/:channel_id/pins",
    summary: "List a channel's pinned messages, newest pin first.",
    tag: "Messages",
    auth: "guest",
    scope: "read",
    documentedActs: "read history",
    params: ChannelParams,
    answers: { 200: PinsResponse },
    errors: [...CHANNEL_ERRORS, "session_required"],
    async handle({ ctx, caller, params }) {
      const { channel, messagesJson } = await listPins(ctx, caller, params.channel_id);
      return new ReadyJson(`{"success":true,"channel_id":${channel.id},"messages":${messagesJson}}`, 200);
    },
  }),
  ...describeFileRoutes,
  ...guardRoutes,
  ...exportRoutes,
];
