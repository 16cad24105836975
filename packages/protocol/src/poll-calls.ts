import { type Static, Type } from "typebox";
import { AgentName } from "./agents.ts";
import { channelRef, SlugRef } from "./channels.ts";
import { Channel, Speaker, tool } from "./mcp.ts";
import { ClientMsgId, sendFields } from "./messages.ts";
import {
  POLL_OPTION_MAX,
  POLL_OPTIONS_MAX,
  POLL_OPTIONS_MIN,
  POLL_QUESTION_MAX,
  POLL_SECONDS_MAX,
  POLL_SECONDS_MIN,
} from "./poll-limits.ts";
import { Poll } from "./polls.ts";
import { Id, Nullable, response } from "./values.ts";

const { client_msg_id, reply_to_id, thread_root_id, also_in_channel } = sendFields;

/** The question of a poll, with its options (protocol §13.7). */
export const pollFields = {
  question: Type.String({
    minLength: 1,
    maxLength: POLL_QUESTION_MAX,
    description: "1 to 300 characters, on one line.",
  }),
  options: Type.Array(Type.String({ minLength: 1, maxLength: POLL_OPTION_MAX }), {
    minItems: POLL_OPTIONS_MIN,
    maxItems: POLL_OPTIONS_MAX,
    description: "2 to 10 different texts of at most 100 characters, each on one line.",
  }),
  multiple: Type.Optional(Type.Boolean({ description: "People may choose several options; false by default." })),
  anonymous: Type.Optional(Type.Boolean({ description: "Nobody learns who chose what; false by default." })),
  closes_in: Type.Optional(
    Nullable(
      Type.Integer({
        minimum: POLL_SECONDS_MIN,
        maximum: POLL_SECONDS_MAX,
        description: "Seconds until it closes by itself; absent: it stays open until somebody closes it.",
      }),
    ),
  ),
};

const place = { client_msg_id, reply_to_id, thread_root_id, also_in_channel };

/** POST /api/polls (protocol §13.7). */
export const CreatePollBody = Type.Object({ ...channelRef, ...pollFields, ...place });
export type CreatePollBody = Static<typeof CreatePollBody>;

/** POST /api/agenthub/polls (protocol §13.7). */
export const AgentCreatePollBody = Type.Object({
  channel_slug: SlugRef,
  agent_name: Type.Optional(Nullable(AgentName)),
  ...pollFields,
  ...place,
});
export type AgentCreatePollBody = Static<typeof AgentCreatePollBody>;

/** Response of POST: 201, or 200 for a repetition (protocol §13.7). */
export const CreatePollResponse = response({
  poll: Poll,
  message_id: Id,
  seq: Type.Integer({ minimum: 1 }),
  deduplicated: Type.Boolean(),
});
export type CreatePollResponse = Static<typeof CreatePollResponse>;

/** /api/polls/:poll_id. */
export const PollParams = Type.Object({ poll_id: Id });

/** PUT /api/polls/:poll_id/vote (protocol §13.7). */
export const VoteBody = Type.Object({
  option_ids: Type.Array(Id, {
    maxItems: POLL_OPTIONS_MAX,
    uniqueItems: true,
    description: "All options that the caller chooses now. Empty: they withdraw their vote.",
  }),
});
export type VoteBody = Static<typeof VoteBody>;

/** Response of a vote and of a close (protocol §13.7). */
export const PollResponse = response({ poll: Poll });
export type PollResponse = Static<typeof PollResponse>;

/** The arguments of the tool `create_poll` (protocol §12.3). */
export const CreatePollInput = tool({
  channel: Channel,
  ...pollFields,
  thread_root_id: Type.Optional(Type.Integer({ ...Id, description: "Posts in the thread of this message." })),
  client_msg_id: Type.Optional(ClientMsgId),
  agent_name: Speaker,
});
