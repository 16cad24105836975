import type { Generated } from "kysely";
import type { Flag, Millis } from "../columns.ts";
import type { DataClasses } from "./data-classes.ts";

/** The tables of the slice `webhooks`. */
export interface WebhookTables {
  webhooks: WebhooksTable;
  webhook_deliveries: WebhookDeliveriesTable;
  incoming_webhooks: IncomingWebhooksTable;
}

/** An address that the server calls: of a channel or of an agent. */
export interface WebhooksTable {
  id: Generated<number>;
  channel_id: number | null;
  agent_id: number | null;
  url: string;
  /** JSON array of names with dots. */
  events: string;
  description: string | null;
  /** `whsec_` and base64. In plain text, because it signs. */
  secret: string;
  /** Signs beside the other until `old_secret_until`. */
  old_secret: string | null;
  old_secret_until: Millis | null;
  status: "active" | "failing" | "disabled";
  disabled_reason: "by_user" | "gone" | "failing" | "maker_lost_rights" | null;
  /** Everything up to here has its deliveries: a channel's seq, or the id of an inbox's item. */
  position: number;
  /** Counts the replays: each makes deliveries of its own. */
  round: Generated<number>;
  /** null: its agent, or an erased account. */
  created_by_user: number | null;
  created_by: string | null;
  /** The agent's key that made it; null: a user did. */
  created_by_key: string | null;
  created_at: Millis;
  last_success_at: Millis | null;
  last_failure_at: Millis | null;
  /** The first failure since the last success; null: none. */
  failing_since: Millis | null;
}

/** An event for a webhook. */
export interface WebhookDeliveriesTable {
  id: Generated<number>;
  webhook_id: number;
  round: number;
  event: string;
  /** The seq or the item; for a test a negative number. */
  source: number;
  status: "waiting" | "delivered" | "dead";
  tries: Generated<number>;
  due_at: Millis;
  /** A node that sends it has it until then. */
  claimed_until: Generated<Millis>;
  result: string | null;
  response_status: number | null;
  response_body: string | null;
  duration_ms: number | null;
  created_at: Millis;
  done_at: Millis | null;
}

/** An address that others call to post into a channel. */
export interface IncomingWebhooksTable {
  id: Generated<number>;
  channel_id: number;
  name: string;
  /** SHA-256 of the secret, in hex. */
  secret_hash: string;
  enabled: Flag;
  allow_mentions: Flag;
  created_by_user: number | null;
  created_by: string | null;
  created_at: Millis;
  last_used_at: Millis | null;
}

export const dataClasses: DataClasses = {
  webhooks: {
    erased: {
      delete: "created_by_user",
      keep: `id channel_id agent_id url events description secret old_secret old_secret_until status disabled_reason
      position round created_by created_at last_success_at last_failure_at failing_since created_by_key`,
    },
    purged: "delete",
  },
  webhook_deliveries: {
    erased: {
      delete: "webhook_id",
      keep: `id round event source status tries due_at claimed_until result response_status response_body duration_ms
      created_at done_at`,
    },
    purged: "delete",
  },
  incoming_webhooks: {
    erased: {
      null: "created_by_user created_by",
      keep: "id channel_id name secret_hash enabled allow_mentions created_at last_used_at",
    },
    purged: "delete",
  },
};
