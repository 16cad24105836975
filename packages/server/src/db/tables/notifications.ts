import type { Generated } from "kysely";
import type { Flag, Millis } from "../columns.ts";
import type { DataClasses } from "./data-classes.ts";

/** The tables of the slice `notifications`. */
export interface NotificationTables {
  notifications: NotificationsTable;
  push_keys: PushKeysTable;
  push_subscriptions: PushSubscriptionsTable;
  push_queue: PushQueueTable;
  visible_pages: VisiblePagesTable;
}

/** What concerns a user: the newest 1,000 of 30 days. Texts are in the messages. */
export interface NotificationsTable {
  id: Generated<number>;
  user_id: number;
  kind: "mention" | "direct" | "thread_reply" | "reaction" | "card" | "notice";
  /** A user has one notification of a message, and one of its reactions. */
  about: "message" | "reaction";
  /** 0 for a notice: reading a channel does not read what happened to the user there. */
  channel_id: number;
  /** Negative and random for a notice, which is of no message. */
  message_id: number;
  /** Reading the channel up to this seq reads the notification: that of the message, or of the reaction's event. */
  seq: number;
  /** Set if the message is only in a thread: then reading that thread reads the notification. */
  thread_root_id: number | null;
  /** Who caused it, a user or an agent; both null: the system. */
  from_user_id: number | null;
  from_agent_id: number | null;
  /** The name of an agent as it was; users are named by their account. */
  from_name: string | null;
  /** For `about: reaction`. */
  reaction: string | null;
  /** For `kind: notice`: the `NewNotice` as JSON. */
  notice: Generated<string | null>;
  /** Set for a reminder, whose kind is `notice`: the message. It is visible only while the user may read that one. */
  reminded_id: Generated<number | null>;
  read_at: Millis | null;
  created_at: Millis;
}

/** The server's keys for push services (VAPID): one row, made once. */
export interface PushKeysTable {
  id: number;
  public_key: string;
  /** Whoever has it can send push messages in the name of this server to those who know an endpoint. */
  private_key: string;
  created_at: Millis;
}

/** Browsers that receive push messages, each until its session ends. */
export interface PushSubscriptionsTable {
  id: Generated<number>;
  user_id: number;
  session_id: number;
  /** A secret address of the browser's push service. */
  endpoint: string;
  p256dh: string;
  auth: string;
  /** Push messages in a row that were given up. */
  failures: number;
  created_at: Millis;
  last_sent_at: Millis | null;
}

/** What is to be pushed, one row for a browser and a channel: later messages are folded into it. */
export interface PushQueueTable {
  subscription_id: number;
  channel_id: number;
  user_id: number;
  /** The newest message. */
  message_id: number;
  seq: number;
  /** 1: every message of the channel calls the user (level `all`), also without a notification. */
  is_any: Flag;
  /** 0: nothing is to be sent; the row only shows when something was. */
  pending: Flag;
  /** When the oldest of the folded messages was handled. */
  since: Millis;
  due_at: Millis;
  tries: number;
  sent_at: Millis | null;
}

/** The nodes on which a user has a page in front of them; a lone server writes none. */
export interface VisiblePagesTable {
  user_id: number;
  node_id: string;
}

export const dataClasses: DataClasses = {
  notifications: {
    erased: {
      delete: "user_id",
      keep: `id kind about channel_id message_id seq thread_root_id from_user_id from_agent_id from_name reaction read_at
      created_at notice reminded_id`,
    },
    purged: "delete",
  },
  push_keys: { erased: { keep: "id public_key private_key created_at" } },
  push_subscriptions: {
    erased: { delete: "user_id session_id", keep: "id endpoint p256dh auth failures created_at last_sent_at" },
  },
  push_queue: {
    erased: {
      delete: "subscription_id user_id",
      keep: "channel_id message_id seq is_any pending since due_at tries sent_at",
    },
    purged: "keep",
  },
  visible_pages: { erased: { keep: "user_id node_id" } },
};
