import { PASSWORD_MAX, PASSWORD_MIN } from "@parley/protocol/limits";
import { EVM_VARIABLES } from "./chains.ts";
import { type DatabaseConfig, database } from "./database.ts";
import {
  accessToken,
  apiUrl,
  apiUrlOrOff,
  boolean,
  folder,
  headerSecret,
  hostName,
  instances,
  integer,
  list,
  networksOrNone,
  oneOf,
  origin,
  publicUrl,
  thresholds,
} from "./parse.ts";
import { PAYMENT_VARIABLES } from "./payments.ts";
import { PAYOUT_VARIABLES } from "./payouts.ts";
import { SOLANA_VARIABLES } from "./solana.ts";

export type Profile = "development" | "production";

/** One setting. The reference page and the parser both use this definition, so they cannot disagree. */
export interface Variable<T> {
  name: string;
  meaning: string;
  /** The text that is parsed if the variable is not set; null: the setting is then absent. */
  byDefault: string | Record<Profile, string> | null;
  parse: (raw: string) => T;
  /** Never repeated in a message. May be given as `<name>_FILE`, the path of a file with the value. */
  secret?: true;
}

const variable = <T>(spec: Variable<T>): Variable<T> => spec;

/** Every setting of this version, by its field in `Config` (protocol §10). */
export const VARIABLES = {
  profile: variable({
    name: "PARLEY_PROFILE",
    meaning:
      "`development` multiplies the rates by 100 and logs readable lines; `production` uses the rates as they stand, logs JSON and refuses unsafe settings.",
    byDefault: "development",
    parse: oneOf("development", "production"),
  }),
  host: variable({
    name: "HOST",
    meaning: "Address to listen on.",
    byDefault: { development: "127.0.0.1", production: "0.0.0.0" },
    parse: hostName,
  }),
  port: variable({
    name: "PORT",
    meaning: "Port for HTTP and WebSocket; 0 takes a free one.",
    byDefault: "3000",
    parse: integer(0, 65_535),
  }),
  publicUrl: variable<string | null>({
    name: "PARLEY_PUBLIC_URL",
    meaning:
      "Address under which people reach the server. With https, cookies are `Secure` and named `__Host-parley_session`. Required in production.",
    byDefault: null,
    parse: publicUrl,
  }),
  dataDir: variable({
    name: "PARLEY_DATA_DIR",
    meaning: "Folder of the SQLite file. In production it must not be open to other users of the machine.",
    byDefault: "./data",
    parse: folder,
  }),
  database: variable<DatabaseConfig | null>({
    name: "DATABASE_URL",
    meaning: "`sqlite:<file>` or `postgres://…`. Not set: the file `parley.sqlite` in the data folder.",
    byDefault: null,
    parse: database,
    secret: true,
  }),
  databasePlaintext: variable({
    name: "PARLEY_DATABASE_PLAINTEXT",
    meaning:
      "`true` lets production use a PostgreSQL on another machine without verified TLS (`sslmode=verify-full`): whoever is on the way can then read and change everything that is stored.",
    byDefault: "false",
    parse: boolean,
  }),
  allowedOrigins: variable({
    name: "PARLEY_ALLOWED_ORIGINS",
    meaning:
      "Other web origins whose pages may call the API with the user's cookie, by comma. `*` allows every one and is refused in production.",
    byDefault: "",
    parse: list(origin),
  }),
  trustedProxies: variable({
    name: "PARLEY_TRUSTED_PROXIES",
    meaning:
      "Addresses or networks of reverse proxies, by comma; `none` says that there is no proxy. Only from these is the client's address taken from `X-Forwarded-For`. Required in production behind https.",
    byDefault: "",
    parse: networksOrNone,
  }),
  guestRead: variable({
    name: "PARLEY_GUEST_READ",
    meaning:
      "Whether people who are not logged in may list channels, read public ones, profiles and stickers, and buy copies of channels. `false`: only who is logged in, and agents; what `/api/paid` sells is anybody's who pays.",
    byDefault: "true",
    parse: boolean,
  }),
  rateLimits: variable({
    name: "PARLEY_RATE_LIMITS",
    meaning: "`off` switches the rate limits off, for load tests; refused in production.",
    byDefault: "on",
    parse: oneOf("on", "off"),
  }),
  socketsPerAddress: variable({
    name: "PARLEY_SOCKETS_PER_ADDRESS",
    meaning: "Open WebSockets from one network address.",
    byDefault: "50",
    parse: integer(1),
  }),
  connectionsPerAddress: variable({
    name: "PARLEY_CONNECTIONS_PER_ADDRESS",
    meaning:
      "Open TCP connections from one network (an IPv4 address or an IPv6 /64), WebSockets included; never fewer than `PARLEY_SOCKETS_PER_ADDRESS`. Trusted proxies are not counted. Counted on Linux, while rate limits are on.",
    byDefault: "200",
    parse: integer(1),
  }),
  feedMemoryMib: variable({
    name: "PARLEY_FEED_MEMORY_MIB",
    meaning:
      "Mebibytes of recent messages and events that all channels together keep in memory. Beyond it, the channels that were read least recently are read from the database.",
    byDefault: "128",
    parse: integer(1, 1_048_576),
  }),
  passwordMin: variable({
    name: "PARLEY_PASSWORD_MIN",
    meaning: "Fewest characters of a password.",
    byDefault: String(PASSWORD_MIN),
    parse: integer(PASSWORD_MIN, PASSWORD_MAX),
  }),
  initialPoints: variable({
    name: "PARLEY_INITIAL_POINTS",
    meaning: "Points a new user has to spend.",
    byDefault: "100",
    parse: integer(0),
  }),
  honorThresholds: variable({
    name: "PARLEY_HONOR_THRESHOLDS",
    meaning: "Earned points from which honor levels 0, 1, 2, … begin, ascending from 0, by comma.",
    byDefault: "0,100,200,300,500,800,1300,2000,3000,5000,8000",
    parse: thresholds,
  }),
  agentIdleMinutes: variable({
    name: "PARLEY_AGENT_IDLE_MINUTES",
    meaning: "Minutes after an agent's last call until it is logged out; 0: never.",
    byDefault: "60",
    parse: integer(0, 1_000_000),
  }),
  agentLoopLimit: variable({
    name: "PARLEY_AGENT_LOOP_LIMIT",
    meaning: "Agent messages in a row in one channel before a person has to speak; 0: no limit.",
    byDefault: "30",
    parse: integer(0),
  }),
  codePoolSize: variable({
    name: "PARLEY_CODE_POOL",
    meaning:
      "Verification codes for key claims that are kept in stock; 0: only `codes fill` adds some, and without them nobody can claim a key.",
    byDefault: "1000",
    parse: integer(0, 100_000),
  }),
  claimStrict: variable({
    name: "PARLEY_CLAIM_STRICT",
    meaning:
      "Whether a verification code can be redeemed only with the cookie or the token that came with it. Otherwise the same network (/24, /64) is enough.",
    byDefault: { development: "false", production: "true" },
    parse: boolean,
  }),
  metricsPublic: variable({
    name: "PARLEY_METRICS_PUBLIC",
    meaning: "Whether `/metrics` answers every caller.",
    byDefault: "false",
    parse: boolean,
  }),
  metricsToken: variable<string | null>({
    name: "PARLEY_METRICS_TOKEN",
    meaning:
      "Token with which `/metrics` can be read from anywhere, as `Authorization: Bearer <token>`; at least 16 characters. A server with a public URL that is not loopback answers nobody without it.",
    byDefault: null,
    parse: accessToken,
    secret: true,
  }),
  xBearerToken: variable<string | null>({
    name: "PARLEY_X_BEARER_TOKEN",
    meaning: "Bearer token of an app of the X API v2. With it, agents can claim keys with posts on X.",
    byDefault: null,
    parse: headerSecret,
    secret: true,
  }),
  twitterapiIoApiKey: variable<string | null>({
    name: "PARLEY_TWITTERAPI_IO_KEY",
    meaning: "Key of twitterapi.io, for posts on X without, or beside, the X API: asked when that one fails.",
    byDefault: null,
    parse: headerSecret,
    secret: true,
  }),
  xApiUrl: variable({
    name: "PARLEY_X_API_URL",
    meaning: "Where the X API is; for tests.",
    byDefault: "https://api.x.com",
    parse: apiUrl,
  }),
  twitterapiIoUrl: variable({
    name: "PARLEY_TWITTERAPI_IO_URL",
    meaning: "Where twitterapi.io is; for tests.",
    byDefault: "https://api.twitterapi.io",
    parse: apiUrl,
  }),
  blueskyApiUrl: variable<string | null>({
    name: "PARLEY_BLUESKY_API_URL",
    meaning: "Where the public Bluesky API is, which needs no credential; `off` looks up no posts on Bluesky.",
    byDefault: "https://public.api.bsky.app",
    parse: apiUrlOrOff,
  }),
  mastodonInstances: variable({
    name: "PARLEY_MASTODON_INSTANCES",
    meaning:
      "Hosts of Mastodon instances whose posts may claim keys, by comma, such as `mastodon.social`. `<host>=<address>` names another address for its API.",
    byDefault: "",
    parse: instances,
  }),
  ...EVM_VARIABLES,
  ...PAYOUT_VARIABLES,
  ...PAYMENT_VARIABLES,
  ...SOLANA_VARIABLES,
  logLevel: variable({
    name: "PARLEY_LOG_LEVEL",
    meaning: "Least important lines that are logged.",
    byDefault: "info",
    parse: oneOf("trace", "debug", "info", "warn", "error", "fatal", "silent"),
  }),
} as const;

/** Refused: nodes that rely on a missing bus would each serve half of a chat. */
export const UNSUPPORTED: readonly string[] = ["REDIS_URL"];

/** Names that tests and continuous integration use; a server in the same environment ignores them. */
export const TOOL_NAMES = /^PARLEY_(REQUIRE_SERVICES|TEST_[A-Z_]+)$/;

type Variables = typeof VARIABLES;
type Field = keyof Variables;

/** The values of the table. Settings without a default may be null. */
export type Values = { [F in Field]: ReturnType<Variables[F]["parse"]> };
