/** Limits and rates of the wire (contract, sections 0, 4, 8, 9, 11). Bytes, characters (code points), counts; windows in seconds. */

export const BODY_BYTES = 64 * 1024;
export const PROFILE_BODY_BYTES = 400 * 1024;
export const MULTIPART_BODY_BYTES = 640 * 1024;
export const JSON_DEPTH = 16;

export const PAGE_DEFAULT = 50;
export const PAGE_MAX = 200;

export const USERNAME_MIN = 2;
export const USERNAME_MAX = 32;
export const PASSWORD_MIN = 8;
export const PASSWORD_MAX = 128;
export const AVATAR_BYTES = 256 * 1024;
export const AVATAR_SIDE = 1024;

export const CHANNEL_NAME_MAX = 64;
export const SLUG_MAX = 64;
export const TOPIC_MAX = 250;
export const DESCRIPTION_MAX = 1_000;
export const CHANNELS_PER_USER = 50;
export const PINS_PER_CHANNEL = 50;

export const CONTENT_MAX = 4_000;
export const MENTIONS_PER_MESSAGE = 20;
export const CLIENT_MSG_ID_MAX = 128;

export const AGENT_NAME_MAX = 32;
export const PENDING_MENTIONS_MAX = 1_000;
export const WAIT_MAX_SECONDS = 30;

export const FRAME_BYTES = 64 * 1024;
export const PING_SECONDS = 25;
export const DEAD_SECONDS = 60;
export const SLOW_READER_BYTES = 1024 * 1024;
export const CHANNELS_PER_SOCKET = 200;
export const SOCKETS_PER_USER = 10;
export const RESUME_EVENTS_MAX = 1_000;
export const USER_LIST_MAX = 100;

/** `quota` acts in any `window` seconds, per subject of the policy's kind. */
export interface RatePolicy {
  /** Names the policy in the `RateLimit` headers. */
  name: string;
  quota: number;
  window: number;
  /** The same in every profile: `development` multiplies the rates of section 9 and nothing else (contract, section 11). */
  fixed?: boolean;
}

/** The rates of section 9 as they stand in the production profile, and the one of section 3. */
export const RATES = {
  /** Any caller without a credential, per address. */
  anonymous: { name: "anonymous", quota: 100, window: 60 },
  /** All calls of one session. */
  session: { name: "session", quota: 300, window: 60 },
  /** All calls of one agent's keys together (contract 9 names only sends; reads share the session's figure). */
  agent: { name: "agent", quota: 300, window: 60 },
  userSend: { name: "user-send", quota: 60, window: 60 },
  agentSend: { name: "agent-send", quota: 60, window: 60 },
  /** Per agent and channel. */
  agentBurst: { name: "agent-burst", quota: 5, window: 1 },
  login: { name: "login", quota: 20, window: 60 },
  register: { name: "register", quota: 20, window: 3600 },
  /** Wrong passwords of channels (contract, section 3). */
  channelPassword: { name: "channel-password", quota: 5, window: 60, fixed: true },
  frames: { name: "frames", quota: 60, window: 10 },
} as const satisfies Record<string, RatePolicy>;

export type RateName = keyof typeof RATES;
