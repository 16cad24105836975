import { merged, RATE_PARTS } from "./rate-parts.ts";

/** Limits and rates of the protocol (§0, §4, §8, §9). Bytes, characters (code points), counts; windows in seconds. */
export const BODY_BYTES = 64 * 1024;
export const PROFILE_BODY_BYTES = 400 * 1024;
export const MULTIPART_BODY_BYTES = 640 * 1024;
export const JSON_DEPTH = 16;
/** Seconds from opening a connection until the first request's head must be complete. */
export const HEAD_SECONDS = 10;
/** Seconds for a request's body, and until an idle connection is closed. */
export const IDLE_SECONDS = 60;

export const PAGE_DEFAULT = 50;
export const PAGE_MAX = 200;

export const USERNAME_MIN = 2;
export const USERNAME_MAX = 32;
export const PASSWORD_MIN = 8;
export const PASSWORD_MAX = 128;
export const AVATAR_BYTES = 256 * 1024;
export const AVATAR_SIDE = 1024;

/** Users and agents whom one user can block. */
export const BLOCKS_PER_USER = 1_000;

export const CHANNEL_NAME_MAX = 64;
export const CHANNEL_PASSWORD_MIN = 8;
export const SLUG_MAX = 64;
/** The texts that a channel may have about itself, with the most characters of each. */
export const CHANNEL_TEXTS = { topic: 250, description: 1_000 } as const;
export type ChannelText = keyof typeof CHANNEL_TEXTS;
export const CHANNELS_PER_USER = 50;
export const PINS_PER_CHANNEL = 50;
/** Days in which a deleted channel can be restored. */
export const RESTORE_DAYS = 7;
/** The longest time for which a channel may keep its messages, if it deletes them at all. */
export const RETENTION_DAYS_MAX = 3_650;
export const HOLD_REASON_MAX = 500;
export const BAN_REASON_MAX = 500;
export const REPORT_NOTE_MAX = 1_000;

/** `unread_count` is exact below this. At this value it means "at least this many". */
export const UNREAD_COUNT_MAX = 100;
/** `unread_count` looks back at most this many messages. */
export const UNREAD_LOOK_BACK = 1_000;

/** Unread mentions that the sidebar reports. */
export const UNREAD_MENTIONS_MAX = 1_000;
/** Characters of the name of a section in a user's list of channels. */
export const SECTION_NAME_MAX = 32;
/** Channels whose preferences one request changes. */
export const PREFERENCES_PER_REQUEST = 100;

/** Notifications of a user: how many, for how long, and how many that one other user or agent caused (protocol §13.5). */
export const NOTIFICATIONS_PER_USER = 1_000;
export const NOTIFICATION_DAYS = 30;
export const NOTIFICATIONS_PER_SENDER = 100;
/** Characters of a notification's text. */
export const NOTIFICATION_TEXT_MAX = 200;
/** Code points of the note of a reminder (protocol §13.16). */
export const REMINDER_NOTE_MAX = 200;
/** Browsers of one user that receive push messages; a further one replaces the oldest. */
export const PUSH_SUBSCRIPTIONS_PER_USER = 10;
export const PUSH_ENDPOINT_MAX = 1_024;
export const PUSH_PAYLOAD_BYTES = 3_072;
/** Characters of the name of a time zone. */
export const TIME_ZONE_MAX = 64;

export const CONTENT_MAX = 4_000;
export const MENTIONS_PER_MESSAGE = 20;
/** Kinds of reaction on one message. */
export const REACTIONS_PER_MESSAGE = 20;
export const REPORT_REASON_MAX = 500;
export const CLIENT_MSG_ID_MAX = 128;

export const FILES_PER_MESSAGE = 10;
/** Seconds until a message that its sender lets disappear does so. */
export const EXPIRES_IN_MIN = 60;
export const EXPIRES_IN_MAX = 30 * 24 * 3_600;

export const STICKER_BYTES = 512 * 1024;
export const STICKER_SIDE = 512;
export const STICKER_NAME_MAX = 32;
export const STICKERS_PER_USER = 100;
/** Limits of a GIF: frames, and pixels of all frames together (protocol §9). */
export const GIF_FRAMES = 120;
export const GIF_PIXELS = 16_000_000;

export const AGENT_NAME_MAX = 32;
export const PENDING_MENTIONS_MAX = 1_000;
export const WAIT_MAX_SECONDS = 30;

/** Messages of one JSON-RPC batch (protocol §12). */
export const MCP_BATCH_MAX = 10;
/** Resources that an agent may have subscribed to at once on one node, and the lifetime of a subscription. */
export const MCP_SUBSCRIPTIONS_MAX = 20;
export const MCP_SUBSCRIPTION_SECONDS = 3_600;

/** The length of `rendered` in UTF-16 units: the default and the bounds of `max_chars` (protocol §5). */
export const CONTEXT_CHARS = 20_000;
export const CONTEXT_CHARS_MIN = 2_000;
export const CONTEXT_CHARS_MAX = 100_000;

/** Lifetime of a verification code, and its maximum number of attempts (protocol §5). */
export const CODE_SECONDS = 30 * 60;
export const CODE_TRIES = 5;
export const GRACE_MAX_SECONDS = 86_400;

/** Limits of a red packet: shares, characters, and the seconds in which it can be claimed (protocol §6). */
export const PACKET_COUNT_MAX = 200;
export const GREETING_MAX = 120;
export const PACKET_SECONDS_MIN = 60;
export const PACKET_SECONDS_MAX = 604_800;
export const PACKET_SECONDS_DEFAULT = 86_400;

export const FRAME_BYTES = 64 * 1024;
/** Frames of a socket, in so many seconds. */
export const FRAMES_MAX = 60;
export const FRAMES_SECONDS = 10;
export const PING_SECONDS = 25;
export const DEAD_SECONDS = 60;
export const SLOW_READER_BYTES = 1024 * 1024;
export const CHANNELS_PER_SOCKET = 200;
export const SOCKETS_PER_USER = 10;
export const RESUME_EVENTS_MAX = 1_000;
export const USER_LIST_MAX = 100;
/** Users per request for avatars. */
export const AVATARS_ASKED_MAX = 100;
/** Users that a look-up by the beginning of a name returns. */
export const USERS_FOUND_MAX = 10;
/** Messages per request by ids. */
export const MESSAGES_ASKED_MAX = 50;

/** Repliers that the summary of a thread names. */
export const THREAD_PARTICIPANTS_MAX = 5;
/** Characters of a search query. */
export const SEARCH_QUERY_MAX = 200;
/** Highlighted matches per found message. */
export const SEARCH_HIGHLIGHTS_MAX = 100;

/**
 * Where the nodes of a cluster count a policy: each its own sockets; together in Redis, which is fast; together in the
 * database, which also holds without Redis, for what guards accounts, money or costly work. A lone server counts all of
 * them in its memory.
 */
export type RateStore = "socket" | "shared" | "database";

/** `quota` acts in any `window` seconds, per subject of the policy's kind. */
export interface RatePolicy {
  /** The policy's name in the `RateLimit` headers. */
  name: string;
  quota: number;
  window: number;
  store: RateStore;
  /** True if it is the same in every profile: `development` multiplies all others (protocol §9). */
  fixed?: boolean;
}

/** A rate with what it counts, and for whom, for the reference page. */
export type ListedRate = RatePolicy & { counts: string };

/** The rates of the production profile (protocol §9). */
export const RATES = /* @__PURE__ */ merged(RATE_PARTS, {
  anonymous: {
    name: "anonymous",
    quota: 100,
    window: 60,
    store: "shared",
    counts: "requests without a credential, per network",
  },
  session: { name: "session", quota: 300, window: 60, store: "shared", counts: "requests per session" },
  userSend: { name: "user-send", quota: 60, window: 60, store: "shared", counts: "messages per user" },
  // Each takes a seq, as a message does.
  reaction: {
    name: "reaction",
    quota: 60,
    window: 60,
    store: "shared",
    counts: "reactions added or removed, per user or agent",
  },
  save: { name: "save", quota: 60, window: 60, store: "shared", counts: "messages saved or not any more, per user" },
  threadFollow: { name: "thread-follow", quota: 60, window: 60, store: "shared", counts: "threads followed or left" },
  findUsers: { name: "find-users", quota: 60, window: 60, store: "shared", counts: "look-ups of names, per user" },
  invitation: { name: "invitation", quota: 60, window: 60, store: "shared", counts: "invite codes looked up" },
  report: { name: "report", quota: 10, window: 60, store: "shared", counts: "reports of messages, per user" },
  verificationCode: {
    name: "verification-code",
    quota: 10,
    window: 60,
    store: "database",
    counts: "verification codes, per network",
  },
  verifyTweet: {
    name: "verify-tweet",
    quota: 10,
    window: 60,
    store: "database",
    counts: "claims and recoveries of keys, per network",
  },
  packetCreate: {
    name: "packet-create",
    quota: 10,
    window: 60,
    store: "database",
    counts: "red packets created, funded or cancelled, per user",
  },
  // Each may query the chain.
  payment: {
    name: "payment",
    quota: 60,
    window: 60,
    store: "database",
    counts: "proofs of payment, over HTTP and sockets",
  },
  guestDemand: {
    name: "guest-demand",
    quota: 20,
    window: 3600,
    store: "database",
    counts:
      "payment challenges with a unique amount for guests, per network; further challenges ask for the bare price",
  },
  packetClaim: {
    name: "packet-claim",
    quota: 30,
    window: 60,
    store: "shared",
    counts: "claims of red packets, per user",
  },
  press: { name: "press", quota: 30, window: 60, store: "shared", counts: "presses of cards, per user" },
  walletProof: {
    name: "wallet-proof",
    quota: 20,
    window: 60,
    store: "database",
    counts: "challenges and proofs of wallets, per user",
  },
  uploads: { name: "uploads", quota: 20, window: 60, store: "database", counts: "stickers and avatars, per user" },
  files: {
    name: "files",
    quota: 20,
    window: 60,
    store: "database",
    counts: "files uploaded or forwarded, per user or agent",
  },
  channelCreate: {
    name: "channel-create",
    quota: 20,
    window: 3600,
    store: "database",
    counts: "channels created, per user",
  },
  agentCreate: {
    name: "agent-create",
    quota: 20,
    window: 3600,
    store: "database",
    counts: "agents created, per administrator",
  },
  channelPassword: {
    name: "channel-password",
    quota: 5,
    window: 60,
    store: "database",
    fixed: true,
    counts: "wrong channel passwords, per user or agent",
  },
  // Each takes a hash, also with the right password. A client that reconnects joins its channels without one.
  channelPasswordCheck: {
    name: "channel-password-check",
    quota: 20,
    window: 60,
    store: "database",
    counts: "channel passwords checked, right or wrong, per user or agent",
  },
  frames: {
    name: "frames",
    quota: FRAMES_MAX,
    window: FRAMES_SECONDS,
    store: "socket",
    counts: "frames, pings and pongs per socket",
  },
  pushSubscriptions: {
    name: "push-subscriptions",
    quota: 10,
    window: 60,
    store: "database",
    counts: "push subscriptions, per user",
  },
  // Each may read everything there is.
  export: { name: "export", quota: 5, window: 3600, store: "database", counts: "copies of accounts and channels" },
  // Each may cost as much as a hundred pages.
  search: { name: "search", quota: 30, window: 60, store: "shared", counts: "searches" },
} as const satisfies Record<string, ListedRate>);

export type RateName = keyof typeof RATES;
