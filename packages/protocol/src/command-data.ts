import { type Static, Type } from "typebox";
import { activityField } from "./activity.ts";
import { AgentName, TypingThread } from "./agents.ts";
import { usageField } from "./budgets.ts";
import { cardFields } from "./card-calls.ts";
import { channelRef } from "./channels.ts";
import { SendMessageBody } from "./messages.ts";
import { ChannelRole, JoinedChannel, OnlineUser } from "./models.ts";
import { RefetchToken } from "./payments.ts";
import { LiveStream } from "./streams.ts";
import { Epoch, Id, Nullable, response, Seq } from "./values.ts";

/** A frame that the server pushes (protocol §8). */
export const EventFrame = Type.Object({ event: Type.String(), data: Type.Unknown() });
export type EventFrame = Static<typeof EventFrame>;

/** The data of a command that only names a channel. */
export const ChannelRefData = Type.Object(channelRef);

const SpeakerName = Type.Optional(
  Nullable(
    Type.String({
      ...AgentName,
      description: "Agents only: the name to act under. By default the agent's only name.",
    }),
  ),
);

/** Data of `auth:agent` (protocol §8). */
export const AgentAuthData = Type.Object({ api_key: Type.String({ description: "The agent's API key." }) });
export type AgentAuthData = Static<typeof AgentAuthData>;

/** Ack of `auth:agent` (protocol §8). */
export const AgentAuthAck = response({
  agent_id: Id,
  agent_names: Type.Array(Type.String(), { description: "The names bound to the agent; at most 100." }),
  default_agent_name: Nullable(Type.String({ description: "The agent's only name; null if it has none or several." })),
});
export type AgentAuthAck = Static<typeof AgentAuthAck>;

/** Data of `message:send`: the body of POST /api/messages, and for agents what POST /api/agenthub/send adds, as cards. */
export const SendData = Type.Object({
  ...SendMessageBody.properties,
  ...cardFields,
  agent_name: SpeakerName,
  expected_last_seq: Type.Optional(
    Nullable(
      Type.Integer({ ...Seq, description: "Agents only: refuses with `context_stale` if others have written since." }),
    ),
  ),
  ...usageField,
  ...activityField,
});

/** Data of `typing:start` and `typing:stop`. */
export const TypingData = Type.Object({ ...channelRef, agent_name: SpeakerName, thread_root_id: TypingThread });

/** Data of `channel:join`. With `after_seq` and `epoch` it resumes (protocol §8). */
export const ChannelJoinData = Type.Object({
  ...channelRef,
  password: Type.Optional(Nullable(Type.String())),
  payment_signature: Type.Optional(
    Nullable(
      Type.String({ description: "In a channel with a price: the value that PAYMENT-SIGNATURE has over HTTP." }),
    ),
  ),
  after_seq: Type.Optional(
    Nullable(Type.Integer({ ...Seq, description: "The last seq that the client has. Requires `epoch`." })),
  ),
  epoch: Type.Optional(Nullable(Type.String({ description: "The epoch of the last `session:ready` or ack." }))),
  agent_name: SpeakerName,
});
export type ChannelJoinData = Static<typeof ChannelJoinData>;

/** Ack of `channel:join` (protocol §8). Has `recovered` and `events` if it resumed. */
export const ChannelJoinAck = response({
  channel: JoinedChannel,
  my_role: Nullable(ChannelRole),
  last_seq: Seq,
  epoch: Epoch,
  count: Type.Integer({ minimum: 0 }),
  guest_count: Type.Integer({ minimum: 0 }),
  users: Type.Array(OnlineUser, { description: "The first 100 users." }),
  refetchToken: RefetchToken,
  agent_name: Type.Optional(Type.String({ description: "The name under which an agent is online in the channel." })),
  streams: Type.Optional(
    Type.Array(LiveStream, {
      description: "What agents are writing here now, with the text so far; the 20 that began last. Absent: nothing.",
    }),
  ),
  recovered: Type.Optional(
    Type.Boolean({ description: "false if too much was missed: page the history from `last_seq`." }),
  ),
  history_extended: Type.Optional(
    Type.Literal(true, {
      description: "An import has added messages among what was missed: they are not new, so load afresh.",
    }),
  ),
  events: Type.Optional(
    Type.Array(EventFrame, { description: "The missed frames as they were pushed, each once and in order." }),
  ),
});
export type ChannelJoinAck = Static<typeof ChannelJoinAck>;
