import { type Static, Type } from "typebox";
import { AgentName } from "./agents.ts";
import { AgentScope, KeyGrantFields } from "./key-grants.ts";
import { HumanText, Id, Nullable, response, Timestamp } from "./values.ts";

/** How long a setup code can be used (protocol §16.1). */
export const SETUP_CODE_SECONDS = 600;
/** Setup codes of one agent that can be used at the same time. */
export const OPEN_SETUP_CODES_MAX = 5;
/** The page that explains a setup code. The code is in the fragment of its address, which browsers send to nobody. */
export const SETUP_PATH = "/setup";

const CurrentPassword = Type.Optional(
  Type.String({
    description:
      "Required when the session is older than 10 minutes and the caller's level, not their ownership, permits the act.",
  }),
);

/** POST /api/agents/:agent_id/setup-codes: the limits of the key that the code is exchanged for. */
export const AgentSetupCodeBody = Type.Object({ current_password: CurrentPassword, ...KeyGrantFields });
export type AgentSetupCodeBody = Static<typeof AgentSetupCodeBody>;

/** POST /api/agents/setup-codes: the same for an agent by its name, which need not exist yet. */
export const SetupCodeBody = Type.Object({
  agent_name: AgentName,
  owner_username: Type.Optional(
    Type.String({
      description: "The owner of a new agent; the caller by default. Only administrators may name others.",
    }),
  ),
  ...AgentSetupCodeBody.properties,
});
export type SetupCodeBody = Static<typeof SetupCodeBody>;

/** The only time that a code is shown: repeated with the same `Idempotency-Key`, the answer has null instead. */
export const SetupCodeResponse = response({
  message: HumanText,
  code: Nullable(Type.String({ pattern: "^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){2}$" })),
  setup_url: Nullable(Type.String({ description: "The page that explains the code, with the code after `#`." })),
  qr_svg: Nullable(Type.String({ description: "`setup_url` as a QR code, an SVG picture." })),
  agent_id: Nullable(Type.Integer({ ...Id, description: "null: the agent is made when its first code is exchanged." })),
  agent_name: Nullable(Type.String()),
  expires_at: Timestamp,
  deduplicated: Type.Optional(Type.Boolean()),
});
export type SetupCodeResponse = Static<typeof SetupCodeResponse>;

/** POST /api/agenthub/setup and POST /api/agenthub/setup/look. */
export const RedeemSetupCodeBody = Type.Object({
  code: Type.String({
    minLength: 1,
    maxLength: 64,
    description: "The code, with or without hyphens, in upper or lower case.",
  }),
});
export type RedeemSetupCodeBody = Static<typeof RedeemSetupCodeBody>;

/** A missing or malformed code is refused like one that does not exist. */
export const SETUP_INVALID = { code: "setup_code_not_found" } as const;

const grant = {
  scopes: Nullable(Type.Array(AgentScope, { description: "What the key may do; null: everything." })),
  channels: Nullable(
    Type.Array(Type.String(), { description: "Slugs of the only channels that exist for the key; null: all." }),
  ),
};

/** Response of POST /api/agenthub/setup: the only time that the key is shown. */
export const RedeemSetupCodeResponse = response({
  message: HumanText,
  api_key: Type.String(),
  key_id: Type.String(),
  agent_id: Id,
  agent_name: Nullable(Type.String({ description: "The agent's name; null if it has none yet." })),
  api_url: Type.String({ description: "The address of this server. The paths of its API are below it." }),
  mcp_url: Type.String({ description: "The address of its MCP endpoint." }),
  telegram: Type.Optional(
    Type.Object(
      {
        token: Type.String({
          description: "The token of a bot, which is the number of its name, a colon and the key.",
        }),
        api_root: Type.String({ description: "The root of the addresses, instead of https://api.telegram.org." }),
      },
      { description: "For bots that were made for Telegram. Absent if the server does not admit them." },
    ),
  ),
  ...grant,
  expires_at: Nullable(Type.String({ ...Timestamp, description: "When the key ends by itself; null: never." })),
  created_at: Timestamp,
});
export type RedeemSetupCodeResponse = Static<typeof RedeemSetupCodeResponse>;

/** Response of POST /api/agenthub/setup/look, which changes nothing. */
export const LookAtSetupCodeResponse = response({
  agent_name: Nullable(Type.String()),
  owner_username: Nullable(Type.String({ description: "The agent's verified owner." })),
  ...grant,
  key_expires_at: Nullable(Type.String({ ...Timestamp, description: "When the key would end; null: never." })),
  expires_at: Type.String({ ...Timestamp, description: "Until when the code can be exchanged." }),
});
export type LookAtSetupCodeResponse = Static<typeof LookAtSetupCodeResponse>;
