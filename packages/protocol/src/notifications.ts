import { type Static, Type } from "typebox";
import { NOTIFICATION_TEXT_MAX, PUSH_ENDPOINT_MAX } from "./limits.ts";
import { Id, Limit, model, Nullable, response, Timestamp } from "./values.ts";

/** Who can cause a notification. */
const NotifierKind = Type.Enum(["user", "agent", "webhook"]);

/** Why something is in a user's list of notifications (protocol §13.5). */
export const NotificationKind = Type.Enum(
  ["mention", "direct", "thread_reply", "card", "reaction", "reminder", "notice"],
  {
    description:
      "`mention`: the message mentions the user, or calls with `@here` everybody who is online. `direct`: it is in a direct conversation of the user. `thread_reply`: it is in a thread that the user follows. `reaction`: somebody reacted to the user's message. `notice`: see `notice`. `card`: a card asks the user. `reminder`: the user asked to be reminded of the message; see `reminder`. Ignore kinds you do not know.",
  },
);
export type NotificationKind = Static<typeof NotificationKind>;

/** The subjects of notices (protocol §13.5). */
export const NoticeCode = Type.Enum(
  [
    "security",
    "message_reported",
    "report_decided",
    "role_changed",
    "muted",
    "removed",
    "banned",
    "channel_deleted",
    "channel_restored",
    "packet_refunded",
    "agent_paused",
    "agent_resumed",
    "agent_key_revoked",
    "setup_code_claimed",
    "agent_budget_low",
    "agent_budget_exhausted",
    "agent_loop_guard",
    "agent_away",
    "hook_disabled",
    "scheduled_failed",
    "reminder_ended",
  ],
  { description: "What happened. Ignore codes you do not know." },
);
export type NoticeCode = Static<typeof NoticeCode>;

/** An act of somebody else, or of the server, that concerns the user and is no message (protocol §13.5). */
export const NotificationNotice = Type.Object(
  {
    code: NoticeCode,
    subject: Nullable(Type.String({ description: "The name of the channel or agent that it is about." })),
    detail: Nullable(
      Type.String({
        description:
          "`security`: the kind of the security notice. `report_decided`: `resolved` or `dismissed`. `role_changed`: the new role. `muted` and `banned`: until when; null: for ever. `packet_refunded`: the amount and its currency. `agent_budget_low` and `agent_budget_exhausted`: the budget. `scheduled_failed`: the code of the error, or `missed`. `reminder_ended`: the note of the reminder, if it has one. `setup_code_claimed`: the id of the new key, the network and the program (`User-Agent`), with spaces between.",
      }),
    ),
    session_id: Type.Optional(
      Type.Integer({ ...Id, description: "`security`: the user's own session that did it, if one did." }),
    ),
  },
  { description: "Present if the kind is `notice`." },
);
export type NotificationNotice = Static<typeof NotificationNotice>;

/** The reminder that became a notification (protocol §13.16). */
export const NotificationReminder = Type.Object(
  { reminder_id: Id, note: Nullable(Type.String({ description: "The user's own words." })) },
  { description: "Present if the kind is `reminder`." },
);
export type NotificationReminder = Static<typeof NotificationReminder>;

/** One entry of a user's list of notifications (protocol §13.5). */
export const Notification = model("UserNotification", "Something that concerns the user.", {
  notification_id: Id,
  kind: NotificationKind,
  channel_id: Nullable(Id),
  message_id: Nullable(Type.Integer({ ...Id, description: "The message to show; for a reaction the user's own." })),
  notice: Type.Optional(NotificationNotice),
  reminder: Type.Optional(NotificationReminder),
  from: Nullable(Type.Object({ kind: NotifierKind, name: Type.String() }, { description: "Who caused it." })),
  read_at: Nullable(Timestamp),
  created_at: Timestamp,
  text: Nullable(
    Type.String({
      maxLength: 2 * NOTIFICATION_TEXT_MAX,
      description: `The beginning of the message, or the reaction: at most ${NOTIFICATION_TEXT_MAX} plain characters.`,
    }),
  ),
});
export type Notification = Static<typeof Notification>;

const Unread = Type.Integer({ minimum: 0, description: "How many notifications are unread." });

/** GET /api/notifications (protocol §13.5). */
export const NotificationsQuery = Type.Object({
  unread: Type.Optional(Type.Boolean({ description: "Only those that are not read." })),
  waiting: Type.Optional(
    Type.Boolean({ description: "Only cards, read or not, that are open and that the user has not answered." }),
  ),
  limit: Type.Optional(Limit),
  before: Type.Optional(Type.Integer({ ...Id, description: "Only notifications with a smaller id." })),
});
export type NotificationsQuery = Static<typeof NotificationsQuery>;

/** Response of GET /api/notifications, the newest first. */
export const NotificationsResponse = response({
  notifications: Type.Array(Notification),
  unread: Unread,
  has_more: Type.Boolean(),
  next_before: Nullable(Id),
  limit: Type.Integer({ minimum: 1 }),
});
export type NotificationsResponse = Static<typeof NotificationsResponse>;

/** Notifications that one request marks as read by their ids. */
const IDS_MAX = 1_000;

/** POST /api/notifications/read: either the newest of them, or their ids. */
export const ReadNotificationsBody = Type.Object({
  up_to_id: Type.Optional(Type.Integer({ ...Id, description: "This notification and all older ones." })),
  ids: Type.Optional(Type.Array(Id, { minItems: 1, maxItems: IDS_MAX })),
});
export type ReadNotificationsBody = Static<typeof ReadNotificationsBody>;

const read = {
  up_to_id: Nullable(Id),
  ids: Nullable(Type.Array(Id)),
  unread: Unread,
};

/** Response of POST /api/notifications/read. */
export const ReadNotificationsResponse = response(read);
export type ReadNotificationsResponse = Static<typeof ReadNotificationsResponse>;

/** Data of `notification:new`. */
export const NotificationNewData = Type.Object({ notification: Notification, unread: Unread });

/** Data of `notification:read`: up to an id, or these. */
export const NotificationReadData = Type.Object(read);

/** Response of GET /api/push/key. */
export const PushKeyResponse = response({
  public_key: Type.String({
    description: "The server's public key (VAPID, RFC 8292) in base64url: `applicationServerKey` of a subscription.",
  }),
});
export type PushKeyResponse = Static<typeof PushKeyResponse>;

/** Either alphabet of base64, with or without padding: libraries for browsers differ. */
const Base64 = (min: number, max: number) => Type.String({ pattern: `^[A-Za-z0-9_+/-]{${min},${max}}={0,2}$` });

/** POST /api/push/subscriptions: `PushSubscription.toJSON()` of the browser. */
export const SubscribePushBody = Type.Object({
  endpoint: Type.String({ minLength: 1, maxLength: PUSH_ENDPOINT_MAX }),
  keys: Type.Object({
    p256dh: Type.String({
      ...Base64(86, 88),
      description: "The browser's public key: 65 bytes in base64url or base64.",
    }),
    auth: Type.String({ ...Base64(22, 24), description: "The browser's secret: 16 bytes in base64url or base64." }),
  }),
});
export type SubscribePushBody = Static<typeof SubscribePushBody>;

/** A browser that receives the user's push messages (protocol §13.5). */
export const PushSubscriptionRecord = model("PushSubscription", "A browser that receives the user's push messages.", {
  subscription_id: Id,
  service: Type.String({ description: "The host of the browser's push service." }),
  user_agent: Nullable(Type.String({ description: "The browser, as the session names it." })),
  is_current: Type.Boolean({ description: "True if it belongs to the session of this request." }),
  created_at: Timestamp,
  last_sent_at: Nullable(Timestamp),
});
export type PushSubscriptionRecord = Static<typeof PushSubscriptionRecord>;

/** Response of POST /api/push/subscriptions. */
export const SubscribePushResponse = response({ subscription: PushSubscriptionRecord });
export type SubscribePushResponse = Static<typeof SubscribePushResponse>;

/** Response of GET /api/push/subscriptions, the newest first. */
export const PushSubscriptionsResponse = response({ subscriptions: Type.Array(PushSubscriptionRecord) });
export type PushSubscriptionsResponse = Static<typeof PushSubscriptionsResponse>;

export const PushSubscriptionParams = Type.Object({ subscription_id: Id });

/** Response of DELETE /api/push/subscriptions/:subscription_id. */
export const UnsubscribePushResponse = response({ subscription_id: Id });
export type UnsubscribePushResponse = Static<typeof UnsubscribePushResponse>;

/** What a push message contains once the browser has decrypted it (protocol §13.5). */
export const PushPayload = model("PushPayload", "The JSON text of a push message, at most 3 KiB.", {
  v: Type.Literal(1),
  kind: Type.Enum(["mention", "direct", "thread_reply", "card", "reaction", "reminder", "notice", "message"], {
    description: "As of the notification; `message` for any other message of a channel whose level is `all`.",
  }),
  notification_id: Nullable(Id),
  channel_id: Nullable(Id),
  channel_slug: Nullable(Type.String()),
  channel_name: Nullable(Type.String()),
  message_id: Nullable(Id),
  notice: Type.Optional(NotificationNotice),
  reminder: Type.Optional(NotificationReminder),
  from: Nullable(Type.Object({ kind: NotifierKind, name: Type.String() })),
  text: Nullable(Type.String({ description: "The beginning of the message; null unless the user allows previews." })),
  url: Type.String({ description: "Where a press leads: a path of this server." }),
  unread: Type.Integer({ minimum: 0, description: "Unread notifications, for the badge." }),
  tag: Type.String({ description: "Notifications with the same tag replace each other." }),
});
export type PushPayload = Static<typeof PushPayload>;
