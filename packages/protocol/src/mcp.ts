import { type Static, Type } from "typebox";
import { AgentSessionsQuery } from "./agent-sessions.ts";
import { AgentName } from "./agents.ts";
import { UsageReport } from "./budgets.ts";
import { InteractionInput } from "./card-calls.ts";
import { CARD_LABEL_MAX } from "./card-limits.ts";
import { ActionId } from "./cards.ts";
import { SlugRef } from "./channels.ts";
import { FILE_NAME_MAX } from "./file-limits.ts";
import { AltText } from "./files.ts";
import { MCP_BATCH_MAX, PENDING_MENTIONS_MAX, SEARCH_QUERY_MAX } from "./limits.ts";
import { ClientMsgId, SendContent } from "./messages.ts";
import { HumanText, Id, model, Seq } from "./values.ts";

/** One JSON-RPC message. The library that implements MCP checks the rest of it. */
const JsonRpcMessage = Type.Object({ jsonrpc: Type.Literal("2.0") }, { additionalProperties: true });

/** POST /mcp: a JSON-RPC message, or a batch of them, which only the revision 2025-03-26 knows (protocol §12). */
export const McpBody = Type.Union([
  JsonRpcMessage,
  Type.Array(JsonRpcMessage, { minItems: 1, maxItems: MCP_BATCH_MAX }),
]);
export type McpBody = Static<typeof McpBody>;

/** An answer of JSON-RPC. MCP defines the fields of `result`. */
const JsonRpcAnswer = Type.Object(
  { jsonrpc: Type.Literal("2.0") },
  {
    additionalProperties: true,
    description: "An answer of JSON-RPC: `result` or `error`, and the `id` of the request.",
  },
);

/** The response of POST /mcp as JSON: one answer, or those to a batch. */
export const McpResponse = Type.Union([JsonRpcAnswer, Type.Array(JsonRpcAnswer)]);
/** The same as server-sent events. */
export const McpEvents = Type.String({ description: "Server-sent events; the data of each is a message of JSON-RPC." });
/** A request that MCP itself refuses, with a status of 400 or more. */
export const McpRefusal = model("McpRefusal", "A refusal by the transport of MCP: an error of JSON-RPC.", {
  jsonrpc: Type.Literal("2.0"),
  id: Type.Union([Type.String(), Type.Number(), Type.Null()]),
  error: Type.Object({
    code: Type.Integer({ description: "A code of JSON-RPC or MCP." }),
    message: HumanText,
    data: Type.Optional(Type.Unknown()),
  }),
});
/** The response to notifications. */
export const McpAccepted = Type.Object({}, { description: "The notification is accepted." });

/** A channel in the arguments of a tool. */
export const Channel = Type.String({ ...SlugRef, description: "The slug of the channel, such as `general`." });
const Limit50 = Type.Integer({ minimum: 1, maximum: 50, description: "At most 50, which is the default." });
/** The name under which an agent acts, in the arguments of a tool. */
export const Speaker = Type.Optional(
  Type.String({
    ...AgentName,
    description: "Which of the agent's names acts. Required unless the agent has exactly one name.",
  }),
);

/** Declares the arguments of a tool. */
export const tool = <P extends Parameters<typeof Type.Object>[0]>(properties: P) =>
  Type.Object(properties, { additionalProperties: false });

/** The arguments of the tools (protocol §12). */
export const WhoamiInput = tool({});
export const ListChannelsInput = tool({
  limit: Type.Optional(Limit50),
  after_id: Type.Optional(
    Type.Integer({ ...Seq, description: "Continues a list: `next_after_id` of the page before." }),
  ),
});
export const ListSessionsInput = tool({
  state: Type.Optional(AgentSessionsQuery.properties.state),
  limit: Type.Optional(Limit50),
  offset: Type.Optional(Type.Integer({ ...Seq, description: "Continues a list: `next_offset` of the page before." })),
});
export const ReadChannelInput = tool({
  channel: Channel,
  after_seq: Type.Optional(
    Type.Integer({ ...Seq, description: "Only messages after this seq, oldest first: what is new since you read." }),
  ),
  before: Type.Optional(Type.Integer({ ...Id, description: "Only messages before this message id: older pages." })),
  thread_root_id: Type.Optional(
    Type.Integer({ ...Id, description: "Only the thread that this message began, with the message." }),
  ),
  limit: Type.Optional(Limit50),
});
export const SearchInput = tool({
  query: Type.String({
    minLength: 1,
    maxLength: SEARCH_QUERY_MAX,
    description:
      'Words that must all occur, in any order; "a phrase"; a prefix of at least 3 characters, as in begin*. Case and accents are ignored.',
  }),
  channel: Type.Optional(Type.String({ ...SlugRef, description: "Only this channel; its slug. Otherwise all." })),
  before: Type.Optional(Type.Integer({ ...Id, description: "Continues a search: `next_before` of the page before." })),
  limit: Type.Optional(Limit50),
});
export const CheckInboxInput = tool({
  wait: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 25, description: "Seconds to wait for an item if there is none." }),
  ),
  after_item_id: Type.Optional(
    Type.Integer({
      ...Seq,
      description: "Only items after this one. `wait` then waits for such an item, though older ones are pending.",
    }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, description: "At most 50; 20 by default." })),
  agent_name: Type.Optional(Type.String({ ...AgentName, description: "Only items for this name of the agent." })),
});
export const AckInput = tool({
  item_ids: Type.Array(Id, { minItems: 1, maxItems: PENDING_MENTIONS_MAX, description: "`item_id` of the items." }),
});
export const JoinChannelInput = tool({
  channel: Channel,
  password: Type.Optional(Type.String({ description: "The password of a private channel." })),
  agent_name: Speaker,
});
export const LeaveChannelInput = tool({ channel: Channel, agent_name: Speaker });
export const SendMessageInput = tool({
  channel: Channel,
  message: Type.String({ ...SendContent, description: "Text with simple Markdown, at most 4,000 characters." }),
  reply_to_id: Type.Optional(Type.Integer({ ...Id, description: "The id of the message that this one answers." })),
  thread_root_id: Type.Optional(
    Type.Integer({
      ...Id,
      description:
        "Sends it to the thread that this message began. Answer a message of a thread (thread=… in its label) there.",
    }),
  ),
  also_in_channel: Type.Optional(
    Type.Boolean({ description: "With thread_root_id: the channel shows the message, too." }),
  ),
  client_msg_id: Type.Optional(
    Type.String({
      ...ClientMsgId,
      description: "Your own id of this message. A repetition with the same id is not sent twice.",
    }),
  ),
  expected_last_seq: Type.Optional(
    Type.Integer({
      ...Seq,
      description: "The last seq that you have read. The message is refused if others have written since.",
    }),
  ),
  usage: Type.Optional(UsageReport),
  agent_name: Speaker,
});
export const ReadFileInput = tool({
  file_id: Type.Integer({ ...Id, description: "The number in the file's address." }),
});
export const SendFileInput = tool({
  channel: Channel,
  name: Type.String({ minLength: 1, maxLength: FILE_NAME_MAX, description: "The file's name, such as report.csv." }),
  text: Type.Optional(Type.String({ minLength: 1, maxLength: 50_000, description: "The content of a text file." })),
  base64: Type.Optional(Type.String({ minLength: 1, maxLength: 60_000, description: "Other content, in base64." })),
  alt_text: Type.Optional(AltText),
  message: Type.Optional(Type.String({ ...SendContent, minLength: 0, description: "A text beside the file." })),
  reply_to_id: Type.Optional(Type.Integer({ ...Id, description: "The id of the message that this one answers." })),
  thread_root_id: Type.Optional(
    Type.Integer({ ...Id, description: "Sends it to the thread that this message began." }),
  ),
  agent_name: Speaker,
});
export const ReactInput = tool({
  message_id: Id,
  reaction: Type.String({
    description: "One emoji, a short name such as `like`, or the name of an emoji of the server (list_emoji).",
  }),
  remove: Type.Optional(Type.Boolean({ description: "Removes the agent's reaction instead." })),
});
export const AskPeopleInput = tool({
  channel: Channel,
  question: Type.String({
    ...SendContent,
    description: "The question, with simple Markdown, at most 4,000 characters.",
  }),
  options: Type.Array(
    Type.Object({
      action_id: ActionId,
      label: Type.String({ minLength: 1, maxLength: CARD_LABEL_MAX, description: "What the button says." }),
      style: Type.Optional(Type.Enum(["default", "primary", "danger"])),
    }),
    {
      minItems: 1,
      maxItems: 25,
      description: "The buttons. With exactly the action_ids `approve` and `deny` it is an approval.",
    },
  ),
  who: InteractionInput.properties.who,
  expires_in: InteractionInput.properties.expires_in,
  quorum: InteractionInput.properties.quorum,
  thread_root_id: SendMessageInput.properties.thread_root_id,
  client_msg_id: SendMessageInput.properties.client_msg_id,
  agent_name: Speaker,
});
export const CheckAnswerInput = tool({
  interaction_id: Type.Integer({ ...Id, description: "From ask_people." }),
  wait: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 25, description: "Seconds to wait while nothing is decided." }),
  ),
});
