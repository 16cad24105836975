import { type Static, Type } from "typebox";
import { type DurableEventName, EVENTS } from "./events.ts";
import { ChatMessage } from "./models.ts";
import { HumanText, Id, model, Nullable, response, Seq, Timestamp } from "./values.ts";

/** The events of an agent that a webhook can ask for (protocol §12.5). */
export const AGENT_HOOK_EVENTS = ["inbox.new", "budget.exhausted", "agent.paused"] as const;
export type AgentHookEvent = (typeof AGENT_HOOK_EVENTS)[number];

/** The event of `POST /api/webhooks/:webhook_id/test`, which no hook asks for. */
export const TEST_EVENT = "webhook.test";

/** A durable event as webhooks name it: dots for colons. */
export const hookEventOf = (event: string): string => event.replaceAll(":", ".");

/** The events of a channel that a webhook can ask for: all durable ones. */
export const CHANNEL_HOOK_EVENTS: readonly string[] = (Object.keys(EVENTS) as (keyof typeof EVENTS)[])
  .filter((name): name is DurableEventName => EVENTS[name].durable)
  .map(hookEventOf);

export const WEBHOOK_NAME_MAX = 50;
export const WEBHOOK_DESCRIPTION_MAX = 200;
/** Webhooks of a channel in each direction, and of an agent. */
export const CHANNEL_WEBHOOKS_MAX = 10;
export const AGENT_WEBHOOKS_MAX = 3;
/** A day: how long an old secret may sign beside a new one. */
export const WEBHOOK_GRACE_MAX_SECONDS = 86_400;
export const HOOK_BODY_BYTES = 64 * 1024;

const Url = Type.String({ minLength: 1, maxLength: 2_048, description: "https, port 443 or above 1023." });
const Events = Type.Array(Type.String({ maxLength: 50 }), { minItems: 1, maxItems: 30, uniqueItems: true });
const Description = Nullable(Type.String({ maxLength: WEBHOOK_DESCRIPTION_MAX }));

/** A webhook that the server calls (protocol §12.5). */
export const Webhook = model("Webhook", "An address that the server calls for each event that it asks for.", {
  webhook_id: Id,
  kind: Type.Enum(["channel", "agent"]),
  channel_id: Nullable(Id),
  agent_id: Nullable(Id),
  url: Type.String(),
  events: Type.Array(Type.String()),
  description: Nullable(Type.String()),
  status: Type.Enum(["active", "failing", "disabled"], {
    description: '`failing`: the newest try failed. `disabled`: nothing is sent; PUT `{status: "active"}` resumes.',
  }),
  disabled_reason: Nullable(
    Type.Enum(["by_user", "gone", "failing", "maker_lost_rights"], {
      description:
        "`gone`: it answered 410. `failing`: nothing arrived for five days. `maker_lost_rights`: who made it may no longer manage it.",
    }),
  ),
  backlog: Type.Integer({ minimum: 0, description: "Deliveries and events that wait." }),
  created_by: Nullable(
    Type.String({ description: "Who made it: a user, or the agent. null: the account is deleted." }),
  ),
  created_at: Timestamp,
  last_success_at: Nullable(Timestamp),
  last_failure_at: Nullable(Timestamp),
});
export type Webhook = Static<typeof Webhook>;

/** An event on its way to a webhook, or what became of it (protocol §12.5). */
export const WebhookDelivery = model("WebhookDelivery", "An event on its way to a webhook, or what became of it.", {
  delivery_id: Id,
  event: Type.String(),
  seq: Nullable(Type.Integer({ ...Seq, description: "Of a channel's event: its place in the log." })),
  item_id: Nullable(Type.Integer({ ...Id, description: "Of an agent's event: the item of its inbox." })),
  status: Type.Enum(["waiting", "delivered", "dead"]),
  tries: Type.Integer({ minimum: 0 }),
  next_try_at: Nullable(Timestamp),
  result: Nullable(
    Type.String({
      description:
        "Of the newest try: `answered`, `blocked_address`, `tls_failed`, `timed_out`, `answer_too_large`, `unreachable` or `overloaded`; `event_gone` if the event was removed before it was sent.",
    }),
  ),
  response_status: Nullable(Type.Integer({ description: "The HTTP status of the newest answer." })),
  response_body: Nullable(Type.String({ description: "The first 1 KiB of the newest answer." })),
  duration_ms: Nullable(Type.Integer({ minimum: 0 })),
  created_at: Timestamp,
  done_at: Nullable(Timestamp),
});
export type WebhookDelivery = Static<typeof WebhookDelivery>;

export const WebhookParams = Type.Object({ webhook_id: Id });
export const DeliveryParams = Type.Object({ webhook_id: Id, delivery_id: Id });

/** POST /api/webhooks: exactly one of `channel_id` and `agent_id`. */
export const CreateWebhookBody = Type.Object({
  url: Url,
  events: Events,
  channel_id: Type.Optional(Id),
  agent_id: Type.Optional(Id),
  description: Type.Optional(Description),
});
export type CreateWebhookBody = Static<typeof CreateWebhookBody>;

const Secret = Type.String({ description: "`whsec_…`, shown only here: it verifies the signatures." });
export const CreateWebhookResponse = response({ webhook: Webhook, secret: Secret });
export type CreateWebhookResponse = Static<typeof CreateWebhookResponse>;

/** GET /api/webhooks: the hooks of a channel, or of an agent; without either those of the calling agent. */
export const WebhooksQuery = Type.Object({ channel_id: Type.Optional(Id), agent_id: Type.Optional(Id) });
export type WebhooksQuery = Static<typeof WebhooksQuery>;
export const WebhooksResponse = response({ webhooks: Type.Array(Webhook) });
export type WebhooksResponse = Static<typeof WebhooksResponse>;
export const WebhookResponse = response({ webhook: Webhook });
export type WebhookResponse = Static<typeof WebhookResponse>;
export const WebhookDeletedResponse = response({ message: HumanText });

export const UpdateWebhookBody = Type.Object({
  url: Type.Optional(Url),
  events: Type.Optional(Events),
  description: Type.Optional(Description),
  status: Type.Optional(Type.Enum(["active", "disabled"])),
});
export type UpdateWebhookBody = Static<typeof UpdateWebhookBody>;

export const RotateWebhookBody = Type.Object({
  grace_seconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: WEBHOOK_GRACE_MAX_SECONDS,
      default: 0,
      description: "How long the old secret signs beside the new one.",
    }),
  ),
});
export type RotateWebhookBody = Static<typeof RotateWebhookBody>;

export const DeliveriesQuery = Type.Object({
  status: Type.Optional(Type.Enum(["waiting", "delivered", "dead"])),
  before: Type.Optional(Type.Integer({ ...Id, description: "Only deliveries with a smaller id." })),
  limit: Type.Optional(Type.Integer({ minimum: 1, description: "50 by default, at most 200." })),
});
export type DeliveriesQuery = Static<typeof DeliveriesQuery>;
export const DeliveriesResponse = response({
  deliveries: Type.Array(WebhookDelivery, { description: "Newest first." }),
  has_more: Type.Boolean(),
});
export type DeliveriesResponse = Static<typeof DeliveriesResponse>;
export const DeliveryResponse = response({ delivery: WebhookDelivery });
export type DeliveryResponse = Static<typeof DeliveryResponse>;

export const ReplayBody = Type.Object({ after_seq: Seq });
export type ReplayBody = Static<typeof ReplayBody>;

/** The body of a request that the server sends to a webhook (protocol §12.5). */
export const WebhookEvent = model("WebhookEvent", "The body of a request to a webhook.", {
  type: Type.String({ description: "The event, such as `message.new`." }),
  timestamp: Timestamp,
  data: Type.Record(Type.String(), Type.Unknown(), {
    description: "The event's data as on the socket, with `epoch`. Over 64 KiB only its ids, with `truncated: true`.",
  }),
});
export type WebhookEvent = Static<typeof WebhookEvent>;

/** What an agent's webhook may answer to `inbox.new`: it is sent as the agent's reply. */
export const WebhookReply = Type.Object({ reply: Type.String({ minLength: 1 }) });

/** An address that others call to post into a channel (protocol §12.5). */
export const IncomingWebhook = model("IncomingWebhook", "An address that others call to post into a channel.", {
  incoming_webhook_id: Id,
  channel_id: Id,
  name: Type.String(),
  enabled: Type.Boolean(),
  allow_mentions: Type.Boolean({ description: "Whether an `@` in its messages mentions somebody." }),
  created_by: Nullable(Type.String()),
  created_at: Timestamp,
  last_used_at: Nullable(Timestamp),
});
export type IncomingWebhook = Static<typeof IncomingWebhook>;

export const IncomingWebhookParams = Type.Object({ channel_id: Id, incoming_webhook_id: Id });
const Name = Type.String({ minLength: 1, maxLength: WEBHOOK_NAME_MAX });
export const CreateIncomingWebhookBody = Type.Object({ name: Name, allow_mentions: Type.Optional(Type.Boolean()) });
export type CreateIncomingWebhookBody = Static<typeof CreateIncomingWebhookBody>;
export const UpdateIncomingWebhookBody = Type.Object({
  name: Type.Optional(Name),
  enabled: Type.Optional(Type.Boolean()),
  allow_mentions: Type.Optional(Type.Boolean()),
});
export type UpdateIncomingWebhookBody = Static<typeof UpdateIncomingWebhookBody>;
export const IncomingWebhookResponse = response({ incoming_webhook: IncomingWebhook });
export type IncomingWebhookResponse = Static<typeof IncomingWebhookResponse>;
export const IncomingWebhookUrlResponse = response({
  incoming_webhook: IncomingWebhook,
  url: Type.String({ description: "Shown only here: whoever has it can post." }),
});
export type IncomingWebhookUrlResponse = Static<typeof IncomingWebhookUrlResponse>;
export const IncomingWebhooksResponse = response({ incoming_webhooks: Type.Array(IncomingWebhook) });
export type IncomingWebhooksResponse = Static<typeof IncomingWebhooksResponse>;

export const HookParams = Type.Object({ hook: Type.String({ description: "`<id>_<secret>`." }) });

/** POST /api/hooks/<id>_<secret>, own form. Slack's form is read, too. */
export const HookBody = Type.Object({
  message: Type.String(),
  client_msg_id: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 64 }))),
  thread_root_id: Type.Optional(Nullable(Id)),
});
export type HookBody = Static<typeof HookBody>;

/** The answer to a message in the own form, as to a send. */
export const HookResponse = response({
  message_id: Id,
  seq: Type.Integer({ minimum: 1 }),
  deduplicated: Type.Boolean(),
  chat_message: ChatMessage,
});
