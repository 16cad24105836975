import {
  AGENT_HOOK_EVENTS,
  CHANNEL_HOOK_EVENTS,
  hookEventOf,
  TEST_EVENT,
  WebhookEvent,
  WebhookReply,
} from "@parley/protocol/webhooks";
import type { Config } from "../config/config.ts";
import type { Components, JsonSchema } from "./schemas.ts";
import { socketTables } from "./socket-tables.ts";

const HEADERS = {
  "webhook-id": "`msg_<delivery_id>`, the same at every try.",
  "webhook-timestamp": "Seconds since 1970, when this try was signed.",
  "webhook-signature":
    "`v1,` and base64 of the HMAC-SHA256 of `id.timestamp.body`; two, separated by a space, while a secret is replaced.",
} as const;

const header = ([name, description]: [string, string]): JsonSchema => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string" },
});

/** Returns the `webhooks` object: the requests that the server sends to other servers (protocol §12.5). */
export function webhooksObject(components: Components, config: Pick<Config, "value">): JsonSchema {
  const sent = new Set(socketTables(config).events.map(([name]) => hookEventOf(name)));
  const body = components.refer(WebhookEvent);
  const requestOf = (name: string, summary: string, answer: JsonSchema): JsonSchema => ({
    post: {
      operationId: name,
      summary,
      tags: ["Webhooks"],
      security: [],
      parameters: Object.entries(HEADERS).map(header),
      requestBody: { required: true, content: { "application/json": { schema: body } } },
      responses: {
        "200": answer,
        "4XX": { description: "Tried again later. 410 disables the webhook at once." },
        "5XX": { description: "Tried again later." },
      },
    },
  });
  const reply = {
    description: "Taken, as any 2xx. A `reply` to a mention or a direct message is sent as the agent's.",
    content: { "application/json": { schema: components.refer(WebhookReply) } },
  };
  return {
    channelEvent: requestOf(
      "channelEvent",
      `An event of a channel: ${[...CHANNEL_HOOK_EVENTS.filter((name) => sent.has(name)), TEST_EVENT].join(", ")}.`,
      { description: "Taken, as any 2xx." },
    ),
    agentEvent: requestOf("agentEvent", `An event of an agent: ${AGENT_HOOK_EVENTS.join(", ")}.`, reply),
  };
}
