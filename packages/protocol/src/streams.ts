import { type Static, Type } from "typebox";
import { Activity, activityField, shownActivity } from "./activity.ts";
import { AgentName, AgentSendResponse } from "./agents.ts";
import { usageField } from "./budgets.ts";
import { cardFields } from "./card-calls.ts";
import { channelRef, SlugRef } from "./channels.ts";
import { CONTENT_MAX } from "./limits.ts";
import { ClientMsgId } from "./messages.ts";
import { ChatMessage } from "./models.ts";
import { LinkPreviewsWanted } from "./previews.ts";
import { MANY_MAX, MANY_MIN, STREAM_STATUS_MAX } from "./stream-limits.ts";
import { Id, model, Nullable, response, Seq, Timestamp } from "./values.ts";

const Speaker = Type.Optional(Nullable(Type.String({ ...AgentName, default: "PlatformAgent" })));
const ThreadRootId = Type.Optional(
  Nullable(Type.Integer({ ...Id, description: "Replies in the thread of this message." })),
);
const AlsoInChannel = Type.Optional(
  Type.Boolean({ description: "With thread_root_id: the channel shows the reply, too." }),
);
const StreamedLength = Type.Integer({
  minimum: 0,
  description: "The characters held so far, in UTF-16 units: the next `offset`.",
});

/** `open` until it ends; then its message exists (`finished`), or nothing is left of it (`cancelled`). */
export const StreamState = Type.Enum(["open", "finished", "cancelled"]);
export type StreamState = Static<typeof StreamState>;

/** Why a stream became a message: its agent finished it, or the server did with what it held, for itself or for a person. */
export const FinishReason = Type.Enum(["finished", "interrupted", "stopped"]);
export type FinishReason = Static<typeof FinishReason>;

/** The fields of a stream that its channel shows from the start on. */
const shown = {
  channel_id: Id,
  stream_id: Id,
  agent_id: Id,
  agent_name: Type.String(),
  reply_to_id: Nullable(Id),
  thread_root_id: Nullable(Id),
  also_in_channel: Type.Boolean(),
  created_at: Timestamp,
};

/** Data of `stream:start` (protocol §12.7). */
export const StreamStartedData = Type.Object(shown);

/** A message that its agent is still writing (protocol §12.7). */
export const LiveStream = model("LiveStream", "A message that its agent is still writing.", {
  ...shown,
  content: Type.String({ description: "The text so far; empty once it has ended." }),
  status: Nullable(Type.String({ description: "What the agent is doing, such as `reading 3 files`." })),
  activity: shownActivity,
});
export type LiveStream = Static<typeof LiveStream>;

const startFields = {
  client_msg_id: ClientMsgId,
  reply_to_id: Type.Optional(Nullable(Id)),
  thread_root_id: ThreadRootId,
  also_in_channel: AlsoInChannel,
  expected_last_seq: Type.Optional(
    Nullable(Type.Integer({ ...Seq, description: "Answers 409 `context_stale` if others have written since." })),
  ),
};

/** POST /api/agenthub/streams (protocol §12.7). */
export const StreamStartBody = Type.Object({
  channel_slug: SlugRef,
  agent_name: Speaker,
  ...startFields,
});
export type StreamStartBody = Static<typeof StreamStartBody>;

/** Data of the command `stream:start`. */
export const StreamStartData = Type.Object({
  ...channelRef,
  agent_name: Type.Optional(
    Nullable(Type.String({ ...AgentName, description: "The name to speak under. By default the agent's only name." })),
  ),
  ...startFields,
});

/** Response of POST /api/agenthub/streams: 201, or 200 if this `client_msg_id` has started it before. */
export const StreamStartResponse = response({
  stream_id: Id,
  channel_id: Id,
  channel_slug: Type.String(),
  agent_name: Type.String(),
  state: StreamState,
  length: StreamedLength,
  expires_at: Type.String({ ...Timestamp, description: "When the server ends it unless something is appended." }),
  deduplicated: Type.Boolean(),
});
export type StreamStartResponse = Static<typeof StreamStartResponse>;

/** /api/agenthub/streams/:stream_id and below. */
export const StreamParams = Type.Object({ stream_id: Id });

/** POST …/append: text, a status, activity, or several of them. */
export const StreamAppendBody = Type.Object({
  offset: Type.Optional(Type.Integer({ minimum: 0, description: "Where `delta` begins, in UTF-16 units." })),
  delta: Type.Optional(Type.String({ maxLength: CONTENT_MAX, description: "The next piece of the text." })),
  status: Type.Optional(
    Nullable(
      Type.String({ maxLength: STREAM_STATUS_MAX, description: "What the agent is doing; null or empty: nothing." }),
    ),
  ),
  ...activityField,
});
export type StreamAppendBody = Static<typeof StreamAppendBody>;
export const StreamAppendData = Type.Object({ ...StreamParams.properties, ...StreamAppendBody.properties });

/** Response of POST …/append. */
export const StreamAppendResponse = response({
  stream_id: Id,
  length: StreamedLength,
  expires_at: Timestamp,
});
export type StreamAppendResponse = Static<typeof StreamAppendResponse>;

/** POST …/finish. `message` replaces what was streamed. */
export const StreamFinishBody = Type.Object({
  message: Type.Optional(
    Nullable(Type.String({ maxLength: CONTENT_MAX, description: "The whole text, if it is not what was streamed." })),
  ),
  ...usageField,
  ...cardFields,
  ...activityField,
});
export type StreamFinishBody = Static<typeof StreamFinishBody>;
export const StreamFinishData = Type.Object({ ...StreamParams.properties, ...StreamFinishBody.properties });

/** Response of POST …/finish: as of a send; 201, or 200 when it repeats the first answer. */
export const StreamFinishResponse = response({
  ...AgentSendResponse.properties,
  stream_id: Id,
  finish_reason: FinishReason,
});
export type StreamFinishResponse = Static<typeof StreamFinishResponse>;

/** Response of POST …/cancel; idempotent. */
export const StreamCancelResponse = response({ stream_id: Id, state: StreamState });
export type StreamCancelResponse = Static<typeof StreamCancelResponse>;

/** Response of GET …/:stream_id. */
export const StreamResponse = response({
  stream: Type.Object({
    ...LiveStream.properties,
    channel_slug: Type.String(),
    state: StreamState,
    length: StreamedLength,
    message_id: Nullable(Type.Integer({ ...Id, description: "The message that it became." })),
    finish_reason: Nullable(FinishReason),
  }),
});
export type StreamResponse = Static<typeof StreamResponse>;

/** POST /api/agenthub/send-many (protocol §12.7). */
export const SendManyBody = Type.Object({
  channel_slug: SlugRef,
  agent_name: Speaker,
  messages: Type.Array(
    Type.Object({
      message: Type.String({ maxLength: CONTENT_MAX }),
      client_msg_id: Type.Optional(Nullable(ClientMsgId)),
      reply_to_id: Type.Optional(Nullable(Id)),
    }),
    { minItems: MANY_MIN, maxItems: MANY_MAX },
  ),
  thread_root_id: ThreadRootId,
  also_in_channel: AlsoInChannel,
  link_previews: Type.Optional(LinkPreviewsWanted),
});
export type SendManyBody = Static<typeof SendManyBody>;

/** Response of POST /api/agenthub/send-many: 201, or 200 when all were sent before. */
export const SendManyResponse = response({
  channel_id: Id,
  channel_slug: Type.String(),
  agent_name: Type.String(),
  messages: Type.Array(ChatMessage, { description: "In their order, with consecutive `seq`." }),
  deduplicated: Type.Boolean(),
});
export type SendManyResponse = Static<typeof SendManyResponse>;

/** Data of `stream:delta`: the pieces of 100 ms. `status` is there if it changed, and of `activity` what changed. */
export const StreamDeltaData = Type.Object({
  channel_id: Id,
  stream_id: Id,
  offset: Type.Integer({ minimum: 0, description: "Where `delta` begins, in UTF-16 units." }),
  delta: Type.String(),
  status: Type.Optional(Nullable(Type.String())),
  activity: Type.Optional(
    Type.Array(Activity, { description: "The acts that changed: merge them by `id` with those before." }),
  ),
});

/** Data of `stream:end`. */
export const StreamEndData = Type.Object({
  channel_id: Id,
  stream_id: Id,
  message_id: Nullable(Type.Integer({ ...Id, description: "The message that it became; null: it was cancelled." })),
  finish_reason: Nullable(FinishReason),
});
