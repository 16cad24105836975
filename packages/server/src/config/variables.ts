import { PASSWORD_MAX, PASSWORD_MIN, RETENTION_DAYS_MAX } from "@parley/protocol/limits";
import type { RegistrationMode } from "@parley/protocol/site";
import { CLAIM_VARIABLES, TELEGRAM_VARIABLES } from "./agents.ts";
import { BACKUP_VARIABLES } from "./backups.ts";
import { type DatabaseConfig, database } from "./database.ts";
import { FILE_STORAGE_VARIABLES } from "./file-storage.ts";
import { FILE_VARIABLES } from "./files.ts";
import { MAIL_VARIABLES } from "./mail.ts";
import { OIDC_VARIABLES } from "./oidc.ts";
import { OUTGOING_VARIABLES } from "./outgoing.ts";
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
  nodeName,
  oneOf,
  origin,
  publicUrl,
  siteName,
  thresholds,
  type Variable,
} from "./parse.ts";
import { redisUrl } from "./redis.ts";
import { VALUE_VARIABLES } from "./value.ts";

const variable = <T>(spec: Variable<T>): Variable<T> => spec;

/** Every setting of this version, by its field in `Config` (protocol §10). */
export const VARIABLES = {
  profile: variable({
    name: "PARLEY_PROFILE",
    meaning:
      "`development` multiplies the rate limits by 100 and logs readable lines; `production` uses the rate limits as listed, logs JSON and refuses unsafe settings.",
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
    meaning: "Port for HTTP and WebSocket; 0 picks a free port.",
    byDefault: "3000",
    parse: integer(0, 65_535),
  }),
  publicUrl: variable<string | null>({
    name: "PARLEY_PUBLIC_URL",
    meaning:
      "URL under which people reach the server. With https, cookies are `Secure` and named `__Host-parley_session`. Required in production.",
    byDefault: null,
    parse: publicUrl,
  }),
  dataDir: variable({
    name: "PARLEY_DATA_DIR",
    meaning: "Folder of the SQLite file. In production other users of the machine must not have access to it.",
    byDefault: "./data",
    parse: folder,
  }),
  database: variable<DatabaseConfig | null>({
    name: "DATABASE_URL",
    meaning: "`sqlite:<file>` or `postgres://…`. Default: the file `parley.sqlite` in the data folder.",
    byDefault: null,
    parse: database,
    secret: true,
  }),
  databasePlaintext: variable({
    name: "PARLEY_DATABASE_PLAINTEXT",
    meaning:
      "`true` lets production use a PostgreSQL on another machine without verified TLS (`sslmode=verify-full`): anyone on the network path can then read and change all stored data.",
    byDefault: "false",
    parse: boolean,
  }),
  postgresPool: variable({
    name: "PARLEY_POSTGRES_POOL",
    meaning:
      "Connections to PostgreSQL that this server keeps open at most, beside one for the database's lock. A node of a cluster has one of them for its heartbeat. For all nodes together, they must fit into PostgreSQL's `max_connections`.",
    byDefault: "10",
    parse: integer(2, 1_000),
  }),
  redisUrls: variable<readonly string[]>({
    name: "REDIS_URL",
    meaning:
      "`redis://:<password>@<host>:<port>` or `rediss://…` of a Redis or Valkey server. With it this server is a node of a cluster on PostgreSQL. Several independent servers, separated by commas, share the load; all nodes need the same list.",
    byDefault: "",
    parse: list(redisUrl),
    secret: true,
  }),
  nodeName: variable<string | null>({
    name: "PARLEY_NODE_NAME",
    meaning: "Name of this node in logs, metrics and `parley doctor`. Default: the name of the machine.",
    byDefault: null,
    parse: nodeName,
  }),
  allowedOrigins: variable({
    name: "PARLEY_ALLOWED_ORIGINS",
    meaning:
      "Other web origins whose pages may call the API with the user's cookie, separated by commas. `*` allows all and is refused in production.",
    byDefault: "",
    parse: list(origin),
  }),
  trustedProxies: variable({
    name: "PARLEY_TRUSTED_PROXIES",
    meaning:
      "Addresses or networks of reverse proxies, separated by commas; `none` means that there is no proxy. `X-Forwarded-For` is trusted only from these. Required in production behind https.",
    byDefault: "",
    parse: networksOrNone,
  }),
  siteName: variable<string | null>({
    name: "PARLEY_SITE_NAME",
    meaning:
      "Name of the site, which the web client shows. Default: what an administrator has set in the page, or Parley.",
    byDefault: null,
    parse: siteName,
  }),
  registration: variable<RegistrationMode | null>({
    name: "PARLEY_REGISTRATION",
    meaning:
      "Who may register. Default: what an administrator has set in the page, or `open`. `open`: everybody. `invite`: people with the invite code of a user. `closed`: nobody; `parley user create` still makes accounts. Anonymous owners of claimed API keys are not registrations (`PARLEY_CLAIMS`).",
    byDefault: null,
    parse: oneOf("open", "invite", "closed"),
  }),
  ...OIDC_VARIABLES,
  requireSecondFactor: variable({
    name: "PARLEY_REQUIRE_2FA",
    meaning:
      "Who must have a second factor: an authenticator app or a passkey. `off`: nobody. `staff`: users with a site level. `all`: everybody. Users without one can do nothing but set one up. Agents' keys and logins by an identity provider need none.",
    byDefault: "off",
    parse: oneOf("off", "staff", "all"),
  }),
  guestRead: variable({
    name: "PARLEY_GUEST_READ",
    meaning:
      "Whether guests may list channels, read public channels, profiles and stickers, and buy copies of channels. `false` limits these to logged-in users and agents; `/api/paid` stays open to everyone who pays.",
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
    meaning: "Maximum number of open WebSockets per network address.",
    byDefault: "50",
    parse: integer(1),
  }),
  connectionsPerAddress: variable({
    name: "PARLEY_CONNECTIONS_PER_ADDRESS",
    meaning:
      "Maximum number of open TCP connections per network (an IPv4 address or an IPv6 /64), including WebSockets; at least `PARLEY_SOCKETS_PER_ADDRESS`. Trusted proxies are not limited. Works on Linux, if rate limits are on.",
    byDefault: "200",
    parse: integer(1),
  }),
  feedMemoryMib: variable({
    name: "PARLEY_FEED_MEMORY_MIB",
    meaning:
      "Mebibytes of recent messages and events that all channels together keep in memory. Above this limit, the least recently read channels are read from the database.",
    byDefault: "128",
    parse: integer(1, 1_048_576),
  }),
  ...FILE_VARIABLES,
  passwordMin: variable({
    name: "PARLEY_PASSWORD_MIN",
    meaning: "Minimum length of a password.",
    byDefault: String(PASSWORD_MIN),
    parse: integer(PASSWORD_MIN, PASSWORD_MAX),
  }),
  initialPoints: variable({
    name: "PARLEY_INITIAL_POINTS",
    meaning: "Points that a new user receives.",
    byDefault: "100",
    parse: integer(0),
  }),
  honorThresholds: variable({
    name: "PARLEY_HONOR_THRESHOLDS",
    meaning: "Earned points at which honor levels 0, 1, 2, … begin, ascending from 0, separated by commas.",
    byDefault: "0,100,200,300,500,800,1300,2000,3000,5000,8000",
    parse: thresholds,
  }),
  retentionDays: variable<number | null>({
    name: "PARLEY_RETENTION_DAYS",
    meaning:
      "Days after which messages are deleted in channels and conversations that set no limit of their own. Default: never.",
    byDefault: null,
    parse: integer(1, RETENTION_DAYS_MAX),
  }),
  retentionMaxDays: variable<number | null>({
    name: "PARLEY_RETENTION_MAX_DAYS",
    meaning:
      "The longest time, in days, for which any channel or conversation keeps messages, whatever its own limit or PARLEY_RETENTION_DAYS says. Default: none.",
    byDefault: null,
    parse: integer(1, RETENTION_DAYS_MAX),
  }),
  agentIdleMinutes: variable({
    name: "PARLEY_AGENT_IDLE_MINUTES",
    meaning: "Minutes after an agent's last call until it is logged out; 0: never.",
    byDefault: "60",
    parse: integer(0, 1_000_000),
  }),
  agentLoopLimit: variable({
    name: "PARLEY_AGENT_LOOP_LIMIT",
    meaning: "Consecutive agent messages in one channel before a person must write; 0: no limit.",
    byDefault: "30",
    parse: integer(0),
  }),
  ...CLAIM_VARIABLES,
  metricsPublic: variable({
    name: "PARLEY_METRICS_PUBLIC",
    meaning: "Whether `/metrics` answers every caller.",
    byDefault: "false",
    parse: boolean,
  }),
  metricsToken: variable<string | null>({
    name: "PARLEY_METRICS_TOKEN",
    meaning:
      "Token for reading `/metrics` from anywhere, as `Authorization: Bearer <token>`; at least 16 characters. A server with a public URL that is not loopback requires it.",
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
    meaning: "Key of twitterapi.io, for posts on X without the X API, or as a fallback for it.",
    byDefault: null,
    parse: headerSecret,
    secret: true,
  }),
  xApiUrl: variable({
    name: "PARLEY_X_API_URL",
    meaning: "URL of the X API; for tests.",
    byDefault: "https://api.x.com",
    parse: apiUrl,
  }),
  twitterapiIoUrl: variable({
    name: "PARLEY_TWITTERAPI_IO_URL",
    meaning: "URL of twitterapi.io; for tests.",
    byDefault: "https://api.twitterapi.io",
    parse: apiUrl,
  }),
  blueskyApiUrl: variable<string | null>({
    name: "PARLEY_BLUESKY_API_URL",
    meaning: "URL of the public Bluesky API, which needs no credential; `off` disables posts on Bluesky.",
    byDefault: "https://public.api.bsky.app",
    parse: apiUrlOrOff,
  }),
  mastodonInstances: variable({
    name: "PARLEY_MASTODON_INSTANCES",
    meaning:
      "Hosts of Mastodon instances whose posts can claim keys, separated by commas, such as `mastodon.social`. `<host>=<address>` sets another address for its API.",
    byDefault: "",
    parse: instances,
  }),
  ...FILE_STORAGE_VARIABLES,
  ...BACKUP_VARIABLES,
  ...OUTGOING_VARIABLES,
  ...MAIL_VARIABLES,
  ...TELEGRAM_VARIABLES,
  ...VALUE_VARIABLES,
  logLevel: variable({
    name: "PARLEY_LOG_LEVEL",
    meaning: "Lowest level of log lines that are written.",
    byDefault: "info",
    parse: oneOf("trace", "debug", "info", "warn", "error", "fatal", "silent"),
  }),
} as const;

/**
 * Variables with our prefix that are no settings of the server, but may be in its environment: those of the tests, and
 * `PARLEY_KEY` and `PARLEY_URL`, which the guides export for agents, perhaps in the shell that starts the server.
 */
export const OTHER_NAMES = /^PARLEY_(KEY|URL|REQUIRE_SERVICES|TEST_[A-Z_]+)$/;

type Variables = typeof VARIABLES;
type Field = keyof Variables;

/** The values of the table. Settings without a default may be null. */
export type Values = { [F in Field]: ReturnType<Variables[F]["parse"]> };
