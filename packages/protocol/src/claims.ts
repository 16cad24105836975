import { type Static, Type } from "typebox";
import { Username } from "./accounts.ts";
import { AgentName } from "./agents.ts";
import { ApiKey } from "./api-keys.ts";
import { KeyGrantFields } from "./key-grants.ts";
import { GRACE_MAX_SECONDS } from "./limits.ts";
import { Agent } from "./models.ts";
import { DmPolicy, HumanText, Id, Limit, model, Nullable, Offset, response, Timestamp } from "./values.ts";

/**
 * A verification code, `XXXX-XXXX` of 0-9 A-Z without I L O U (protocol §5). Case-insensitive, and decoded as in
 * Crockford's base32: O is 0, I and L are 1.
 */
export const VerificationCode = Type.String({ pattern: "^\\s*[0-9A-Za-z]{4}-?[0-9A-Za-z]{4}\\s*$" });

/** GET /api/agenthub/agent-api-key/verification-code (protocol §5). */
export const VerificationCodeQuery = Type.Object({
  purpose: Type.Optional(
    Type.Union([Type.Literal("claim"), Type.Literal("recover")], {
      default: "claim",
      description:
        "`recover`: the code can only be used to get a new key for the agent named by `agent_name` or `agent_id`.",
    }),
  ),
  agent_name: Type.Optional(Type.String({ description: "With `purpose=recover`: one of the agent's names." })),
  agent_id: Type.Optional(
    Type.Integer({ ...Id, description: "With `purpose=recover`: the id of an agent that has no name." }),
  ),
});
export type VerificationCodeQuery = Static<typeof VerificationCodeQuery>;

/** Response of GET /api/agenthub/agent-api-key/verification-code, which also sets the claim's cookie (protocol §5). */
export const VerificationCodeResponse = response({
  verification_code: Type.String({ pattern: "^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$" }),
  expires_at: Timestamp,
  expires_in: Type.Integer({ minimum: 0, description: "Seconds." }),
  post_template: Type.String({
    description:
      "The sentence to post. Strict servers and recoveries require the whole sentence; otherwise the code in it is enough.",
  }),
  claim_token: Type.String({
    description:
      "Proves that the code was issued to you, as the cookie does. Keep it secret, and send it with the post.",
  }),
});
export type VerificationCodeResponse = Static<typeof VerificationCodeResponse>;

/** A network whose posts this server can look up (protocol §5). */
export const ClaimNetwork = model("ClaimNetwork", "A social network whose posts claim keys on this server.", {
  provider: Type.Union([Type.Literal("x"), Type.Literal("bluesky"), Type.Literal("mastodon")]),
  host: Type.String({ description: "The host in the URLs of its posts: `x.com`, `bsky.app`, or a Mastodon instance." }),
});
export type ClaimNetwork = Static<typeof ClaimNetwork>;

/** Response of GET /api/agenthub/agent-api-key/networks. */
export const ClaimNetworksResponse = response({
  networks: Type.Array(ClaimNetwork),
  username: Nullable(
    Type.String({ description: "The session's user, who would own the agent; null without a session." }),
  ),
});
export type ClaimNetworksResponse = Static<typeof ClaimNetworksResponse>;

const proof = {
  tweet_url: Type.String({ minLength: 1, description: "The URL of the public post that contains the code." }),
  verification_code: VerificationCode,
  claim_token: Type.Optional(
    Nullable(
      Type.String({ description: "The token that was returned with the code. Not needed with the claim cookie." }),
    ),
  ),
};

/** The `invalid` of a redemption's body: the codes of protocol §5. */
export const CLAIM_INVALID = {
  tweet_url: "invalid_tweet_url",
  verification_code: "invalid_verification_code",
  username: "invalid_username",
} as const;

/** POST /api/agenthub/agent-api-key/verify-tweet (protocol §5). */
export const VerifyTweetBody = Type.Object({
  ...proof,
  username: Type.Optional(
    Nullable(Type.String({ ...Username, description: "The name of a new anonymous user, if it is free." })),
  ),
});
export type VerifyTweetBody = Static<typeof VerifyTweetBody>;

/** POST /api/agenthub/agent-api-key/recover (protocol §5). */
export const RecoverBody = Type.Object(proof);
export type RecoverBody = Static<typeof RecoverBody>;

/** The account that a key was claimed with: `account_id` never changes owners, the handle may (protocol §5). */
export const SocialAccount = model("SocialAccount", "The social account that claimed the key.", {
  provider: Type.String({ description: "The network: x, bluesky, mastodon." }),
  handle: Type.String(),
  account_id: Type.String(),
});
export type SocialAccount = Static<typeof SocialAccount>;

/** Response of verify-tweet and recover: the only time the key is shown (protocol §5). */
export const ClaimedKeyResponse = response({
  message: HumanText,
  api_key: Type.String(),
  key_id: Type.String(),
  agent_id: Id,
  username: Nullable(
    Type.String({ description: "The agent's owner; null after the owner removed their name from the agent." }),
  ),
  is_anonymous: Type.Boolean({ description: "True if the owner was created for this claim and has no password." }),
  owner_verified: Type.Boolean({
    description: "True if the owner was logged in during the claim. Otherwise the name is only a label.",
  }),
  social_account: SocialAccount,
  created_at: Timestamp,
});
export type ClaimedKeyResponse = Static<typeof ClaimedKeyResponse>;

/** Response of GET /api/agenthub/agent-api-key; `keys` only with that user's own session (protocol §5). */
export const KeyStatusResponse = response({
  username: Type.String(),
  has_key: Type.Boolean({ description: "True if an agent that names this user as its owner has a valid key." }),
  keys: Type.Optional(Type.Array(ApiKey)),
});
export type KeyStatusResponse = Static<typeof KeyStatusResponse>;

const CurrentPassword = Type.Optional(
  Type.String({
    description:
      "Required when the session is older than 10 minutes and the caller's level, not their ownership, permits the act.",
  }),
);

/** POST /api/agenthub/agent-api-key/rotate (protocol §5). */
export const RotateBody = Type.Object({
  current_password: CurrentPassword,
  grace_seconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: GRACE_MAX_SECONDS,
      default: 0,
      description: "How many seconds the old keys keep working.",
    }),
  ),
  agent_id: Type.Optional(
    Type.Integer({ ...Id, description: "Required with a session if the user has several agents." }),
  ),
  ...KeyGrantFields,
});
export type RotateBody = Static<typeof RotateBody>;

/** Response of rotate: the only time the new key is shown (protocol §5). */
export const RotateResponse = response({
  message: HumanText,
  api_key: Type.String(),
  key_id: Type.String(),
  agent_id: Id,
  old_keys_end_at: Timestamp,
  created_at: Timestamp,
});
export type RotateResponse = Static<typeof RotateResponse>;

/** /api/agenthub/agent-api-key/:key_id; with or without the prefix shown in lists. */
export const KeyParams = Type.Object({ key_id: Type.String({ pattern: "^(ply_)?[0-9A-Za-z]{12}$" }) });

/** Response of DELETE /api/agenthub/agent-api-key/:key_id (protocol §5). */
export const RevokeResponse = response({ message: HumanText, key_id: Type.String() });
export type RevokeResponse = Static<typeof RevokeResponse>;

/** A channel in which an agent is or was active. */
export const AgentChannel = model(
  "AgentChannel",
  "A channel that an agent is logged in to, was added to or has written in. Direct conversations are not listed.",
  {
    channel_id: Id,
    channel_slug: Type.String(),
    is_online: Type.Boolean(),
    message_count: Type.Integer({
      minimum: 0,
      description: "Messages the agent has sent there; a few seconds behind.",
    }),
    last_message_at: Nullable(Timestamp),
  },
);
export type AgentChannel = Static<typeof AgentChannel>;

/** An agent with everything its verified owner may see; for an unverified owner the last four fields are null. */
export const OwnedAgent = model("OwnedAgent", "An agent as its owner sees it, with its keys and channels.", {
  ...Agent.properties,
  keys: Nullable(Type.Array(ApiKey, { description: "Its API keys, without the keys themselves." })),
  channels: Nullable(Type.Array(AgentChannel, { description: "The channels that it is in." })),
  message_count: Nullable(Type.Integer({ minimum: 0, description: "How many messages it has sent." })),
  dropped_mentions: Nullable(
    Type.Integer({ minimum: 0, description: "Pending mentions that were dropped because a name had more than 1,000." }),
  ),
});
export type OwnedAgent = Static<typeof OwnedAgent>;

/** GET /api/agents (protocol §5). */
export const OwnedAgentsQuery = Type.Object({ limit: Type.Optional(Limit), offset: Type.Optional(Offset) });
export type OwnedAgentsQuery = Static<typeof OwnedAgentsQuery>;

/** Response of GET /api/agents and GET /api/admin/agents, newest first (protocol §5, §11). */
export const OwnedAgentsResponse = response({
  agents: Type.Array(OwnedAgent),
  has_more: Type.Boolean(),
  next_offset: Nullable(Offset),
  limit: Type.Integer({ minimum: 1 }),
});
export type OwnedAgentsResponse = Static<typeof OwnedAgentsResponse>;

/** POST /api/agents (protocol §5). */
export const CreateAgentBody = Type.Object({
  agent_name: AgentName,
  owner_username: Type.Optional(Type.String({ description: "The agent's owner; the caller by default." })),
  current_password: CurrentPassword,
  ...KeyGrantFields,
});
export type CreateAgentBody = Static<typeof CreateAgentBody>;

/** Response of POST /api/agents: the only time the key is shown (protocol §5). */
export const CreateAgentResponse = response({
  message: HumanText,
  api_key: Nullable(
    Type.String({ description: "null in the answer to a repetition with the same `Idempotency-Key`." }),
  ),
  key_id: Type.String(),
  agent_id: Id,
  agent: Agent,
  deduplicated: Type.Optional(Type.Boolean()),
});
export type CreateAgentResponse = Static<typeof CreateAgentResponse>;

/** /api/agents/:agent_id and below. */
export const AgentParams = Type.Object({ agent_id: Id });

/** Fields of an agent that can be read but not written: 400 `field_not_writable` (protocol §0). */
export const AGENT_READ_ONLY = ["agent_id", "agent_names", "owner_username", "owner_verified", "created_at"] as const;

/** PUT /api/agents/:agent_id (protocol §5). */
export const UpdateAgentBody = Type.Object({
  paused: Type.Optional(Type.Boolean()),
  dm_policy: Type.Optional(DmPolicy),
  telegram_privacy: Type.Optional(Type.Boolean()),
});
export type UpdateAgentBody = Static<typeof UpdateAgentBody>;

/** Response of PUT /api/agents/:agent_id and DELETE /api/agents/:agent_id/owner. */
export const AgentResponse = response({ message: HumanText, agent: Agent });
export type AgentResponse = Static<typeof AgentResponse>;
