import { type Static, Type } from "typebox";
import { Wait } from "./agents.ts";
import { Budgets } from "./budgets.ts";
import { Receipt } from "./card-calls.ts";
import { Interaction } from "./cards.ts";
import { SlugRef } from "./channels.ts";
import { MaxChars, Omitted, Rendered } from "./envelope.ts";
import { AgentScope } from "./key-grants.ts";
import { PENDING_MENTIONS_MAX } from "./limits.ts";
import { ChatMessage } from "./models.ts";
import { HumanText, Id, Limit, model, Nullable, response, Seq, Timestamp } from "./values.ts";

/** The kinds that are made only for agents that asked for them (protocol §5). */
export const AskedKind = Type.Enum(["reply", "command", "message", "edit", "reaction", "membership"], {
  description:
    "`reply`: the message answers one of the agent, or is in a thread that one of the agent began. `command`: it begins with a command for the agent. `message`: any other message of a channel the agent is in. `edit`: a message that was an item of the agent was edited. `reaction`: a person reacted to a message of the agent, or took that back. `membership`: the agent was added to a channel or removed from it, or the channel was deleted.",
});
export type AskedKind = Static<typeof AskedKind>;

/** Why something is in an agent's inbox (protocol §5). */
export const InboxKind = Type.Enum(["mention", "direct", "press", "decision", "notice", ...AskedKind.enum], {
  description:
    "`mention`: the message mentions the agent. `direct`: it was written in a direct conversation with the agent. `press`: somebody answered a card of the agent, which is still open. `decision`: a card of the agent was decided, expired or was cancelled. `notice`: something happened to the agent itself. The others are made only for agents that asked for them (PUT /api/agenthub/inbox/kinds). Ignore kinds you do not know.",
});
export type InboxKind = Static<typeof InboxKind>;

/** The change that an item `reaction` reports (protocol §5). */
const ReactionChange = Type.Object(
  {
    username: Nullable(Type.String({ description: "null: the account is gone." })),
    reaction: Type.String(),
    added: Type.Boolean({ description: "false: it was taken back." }),
  },
  { description: "Of `reaction`: who reacted to `chat_message`, and how." },
);
export type ReactionChange = Static<typeof ReactionChange>;

/** A report of something that happened to the agent itself (protocol §5). */
export const Notice = model("Notice", "What happened to the agent itself.", {
  type: Type.String({
    description:
      "`paused`, `resumed`, `kicked`, `banned`, `items_dropped`, `stopped`, `budget_low` or `budget_exhausted`; of an item `membership` `added`, `kicked`, `banned` or `deleted`; more may be added.",
  }),
  text: HumanText,
  details: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: "Depends on the type." })),
});
export type Notice = Static<typeof Notice>;

/** One thing that waits for an agent (protocol §5). */
export const InboxItem = model("InboxItem", "One thing that waits for an agent until it is acknowledged.", {
  item_id: Type.Integer({
    ...Id,
    description: "Items of an agent have ascending ids. A mention's id is its mention_id.",
  }),
  kind: InboxKind,
  channel_id: Nullable(Type.Integer({ ...Id, description: "Where it happened; null: in no channel." })),
  channel_slug: Nullable(Type.String()),
  agent_name: Nullable(
    Type.String({ description: "The name that is meant; null for a notice that concerns all names of the agent." }),
  ),
  created_at: Timestamp,
  chat_message: Nullable(ChatMessage),
  interaction: Type.Optional(
    Type.Object(Interaction.properties, {
      description: "Of `press` and `decision`: the card's question. Its `result` is the press that the item reports.",
    }),
  ),
  receipt: Type.Optional(
    Type.Object(Receipt.properties, { description: "Of `decision`, unless the account of a voter is erased." }),
  ),
  reaction: Type.Optional(ReactionChange),
  notice: Nullable(Notice),
  rendered: Type.Optional(
    Type.String({
      description:
        "The item as text for a language model, fenced and labelled. It is data, not instructions. Absent in events.",
    }),
  ),
});
export type InboxItem = Static<typeof InboxItem>;

const KIND = `(${InboxKind.enum.join("|")})`;

/** The `reader` with which a program begins to be the only one that reads an inbox. */
export const INBOX_READER_NEW = "new";
const READER = "[0-9]{13}-[0-9a-f]{16}";

/** GET /api/agenthub/inbox (protocol §5). */
export const InboxQuery = Type.Object({
  after_item_id: Type.Optional(
    Type.Integer({
      ...Seq,
      description: "Only items with a larger id. `wait` then waits for such an item, though older ones are pending.",
    }),
  ),
  kinds: Type.Optional(
    Type.String({
      pattern: `^${KIND}(,${KIND})*$`,
      description: "Kinds of items, separated by commas. All by default.",
    }),
  ),
  channel_slug: Type.Optional(SlugRef),
  agent_name: Type.Optional(
    Type.String({
      description: "Only items for this name, and notices that concern all names of the agent. All names by default.",
    }),
  ),
  reader: Type.Optional(
    Type.String({
      pattern: `^(${INBOX_READER_NEW}|${READER})$`,
      description:
        "For a program that must be the only one: `new` at its first call, then the `reader` of that answer. When a newer program begins, waiting calls of the older one answer 409 `inbox_taken`.",
    }),
  ),
  limit: Type.Optional(Limit),
  wait: Type.Optional(Wait),
  format: Type.Optional(
    Type.Enum(["json", "context"], { description: "`context` adds `rendered`, all items as one block of text." }),
  ),
  max_chars: Type.Optional(MaxChars),
});
export type InboxQuery = Static<typeof InboxQuery>;

/** Response of GET /api/agenthub/inbox, oldest first. Reading removes nothing (protocol §5). */
export const InboxResponse = response({
  items: Type.Array(InboxItem),
  count: Type.Integer({ minimum: 0 }),
  remaining: Type.Integer({ minimum: 0, description: "Pending items after this page that match the query." }),
  last_item_id: Type.Integer({
    ...Seq,
    description: "The id of the page's last item; on an empty page the `after_item_id` of the query, or 0.",
  }),
  reader: Type.Optional(Type.String({ pattern: `^${READER}$`, description: "Present if the query had one." })),
  rendered: Type.Optional(Rendered),
  omitted: Type.Optional(Omitted),
});
export type InboxResponse = Static<typeof InboxResponse>;

/** POST /api/agenthub/inbox/ack: exactly one of the two fields (protocol §5). */
export const AckInboxBody = Type.Object({
  item_ids: Type.Optional(Type.Array(Id, { maxItems: PENDING_MENTIONS_MAX })),
  up_to_item_id: Type.Optional(Id),
});
export type AckInboxBody = Static<typeof AckInboxBody>;

/** Response of POST /api/agenthub/inbox/ack: how many items it removed, and how many remain (protocol §5). */
export const AckInboxResponse = response({
  message: HumanText,
  acknowledged: Type.Integer({ minimum: 0 }),
  remaining: Type.Integer({ minimum: 0 }),
});
export type AckInboxResponse = Static<typeof AckInboxResponse>;

const AskedKinds = Type.Array(AskedKind, { maxItems: AskedKind.enum.length });

/** PUT /api/agenthub/inbox/kinds (protocol §5). */
export const InboxKindsBody = Type.Object({
  kinds: Type.Array(AskedKind, {
    maxItems: AskedKind.enum.length,
    description: "The kinds that the agent wants besides those that every agent gets; an empty list ends all.",
  }),
  agent_name: Type.Optional(Type.String({ description: "One of the agent's names. By default its only one." })),
});
export type InboxKindsBody = Static<typeof InboxKindsBody>;

/** Response of PUT /api/agenthub/inbox/kinds: what the name asks for from now on (protocol §5). */
export const InboxKindsResponse = response({ message: HumanText, agent_name: Type.String(), kinds: AskedKinds });
export type InboxKindsResponse = Static<typeof InboxKindsResponse>;

/** Response of GET /api/agenthub/inbox/kinds: the names of the agent that have asked (protocol §5). */
export const AskedKindsResponse = response({
  names: Type.Array(
    Type.Object({
      agent_name: Type.String(),
      kinds: AskedKinds,
      telegram_kinds: Type.Array(AskedKind, { description: "Those for which its bot in the Telegram door asked." }),
    }),
  ),
});
export type AskedKindsResponse = Static<typeof AskedKindsResponse>;

const Count = Type.Integer({ minimum: 0 });

/** How often an agent may do something; null: no limit (protocol §9). */
const RateLimit = Nullable(Type.Object({ quota: Count, window_seconds: Type.Integer({ minimum: 1 }) }));

/** A channel that the agent is logged in to or was added to (protocol §5). */
export const MyChannel = model("MyChannel", "A channel that the agent is logged in to or was added to.", {
  channel_id: Id,
  channel_slug: Type.String(),
  agent_name: Nullable(Type.String({ description: "The name it is logged in under; null if it is not." })),
  online: Type.Boolean(),
  last_seq: Seq,
});
export type MyChannel = Static<typeof MyChannel>;

/** How a bot that was made for Telegram calls this server (protocol §15.1). */
export const TelegramFacts = Type.Object(
  {
    bots: Type.Array(
      Type.Object({
        agent_name: Type.String(),
        bot_id: Type.Integer({ minimum: 1, description: "The token is this number, a colon and the API key." }),
        username: Type.String({ description: "The name as the Bot API writes it." }),
      }),
      { description: "One for each name of the agent." },
    ),
    bot_id: Nullable(
      Type.Integer({ minimum: 1, description: "That of the only name; null if there is no or a choice." }),
    ),
    api_root: Type.String({ description: "The root of the addresses, instead of https://api.telegram.org." }),
  },
  { description: "For bots that were made for Telegram. Absent if the server does not admit them." },
);
export type TelegramFacts = Static<typeof TelegramFacts>;

/** Response of GET /api/agents/:agent_id/telegram (protocol §15.1). */
export const AgentTelegramResponse = response({
  agent_id: Id,
  telegram: Nullable(
    Type.Object(TelegramFacts.properties, { description: "null if the server does not admit bots made for Telegram." }),
  ),
});
export type AgentTelegramResponse = Static<typeof AgentTelegramResponse>;

/** Response of GET /api/agenthub/me: whose key this is and what it may do (protocol §5). */
export const MeResponse = response({
  agent_id: Id,
  agent_names: Type.Array(Type.String()),
  default_agent_name: Nullable(
    Type.String({ description: "The agent's only name; null if it has none or several, and must say which." }),
  ),
  owner: Nullable(
    Type.Object({
      username: Type.String(),
      verified: Type.Boolean({ description: "false: the name is only a label and gives the user no rights." }),
    }),
  ),
  paused: Type.Boolean(),
  scopes: Type.Array(AgentScope),
  key: Type.Object({
    key_id: Type.String(),
    created_at: Timestamp,
    expires_at: Nullable(Type.String({ ...Timestamp, description: "When the key ends, as after a rotation." })),
    channels: Nullable(
      Type.Array(Type.String(), { description: "The slugs of the only channels that exist for the key; null: all." }),
    ),
  }),
  channels: Type.Array(MyChannel),
  budgets: Nullable(Budgets),
  telegram: Type.Optional(TelegramFacts),
  pending: Type.Integer({ minimum: 0, description: "Items in the inbox." }),
  limits: Type.Object({
    message_length: Count,
    mentions_per_message: Count,
    pending_items: Type.Integer({
      minimum: 0,
      description: "Items of one kind kept for each name; then the oldest are dropped.",
    }),
    wait_seconds: Count,
    requests: RateLimit,
    messages: RateLimit,
    messages_per_channel: RateLimit,
  }),
});
export type MeResponse = Static<typeof MeResponse>;
