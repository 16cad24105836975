import { existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Config } from "./config.ts";
import { isLocal, postgresAddress } from "./database.ts";
import { isPlaintextS3 } from "./file-storage.ts";
import { isLoopback } from "./parse.ts";
import { hasRedisPassword, isEncryptedRedis, isRemoteRedis, redisName } from "./redis.ts";
import { lonelyTreasuries, plaintextServers, tokensWithoutShareMin, uncappedGas, uncappedPayouts } from "./treasury.ts";

/** A setting that is unsafe on the open internet. */
export interface ProductionRule {
  /** The refused setting, as the reference page lists it. */
  readonly refuses: string;
  /**
   * What is unsafe in these settings and how to fix it; empty if the rule holds. Each text starts with the variable's
   * name.
   */
  problems(config: Config): readonly string[];
}

/**
 * Every refusal of the production profile (protocol §10). The start, `parley doctor --production` and
 * docs/reference/configuration.md all use this list.
 */
export const PRODUCTION_RULES: readonly ProductionRule[] = [
  {
    refuses: "no `PARLEY_PUBLIC_URL`",
    problems: ({ publicUrl }) =>
      publicUrl === null ? ["PARLEY_PUBLIC_URL must be set in production, such as https://chat.example.org"] : [],
  },
  {
    refuses: "an `http` public URL whose host is not this machine",
    problems: ({ publicUrl, secureCookies }) =>
      publicUrl === null || secureCookies || isLoopback(new URL(publicUrl).hostname)
        ? []
        : ["PARLEY_PUBLIC_URL must be https in production: over http, sessions can be intercepted"],
  },
  {
    refuses: "an `https` public URL without `PARLEY_TRUSTED_PROXIES` (`none` means that there is no proxy)",
    // Without a usable public URL, an https one has to be set, so both problems are reported in the same run.
    problems: ({ publicUrl, secureCookies, proxiesDeclared }) =>
      !proxiesDeclared && (publicUrl === null || secureCookies || !isLoopback(new URL(publicUrl).hostname))
        ? [
            "PARLEY_TRUSTED_PROXIES must name the proxy that serves https, such as 127.0.0.1, or be none: behind an unnamed proxy all callers share one address",
          ]
        : [],
  },
  {
    refuses: "`*` in `PARLEY_ALLOWED_ORIGINS`",
    problems: ({ allowedOrigins }) =>
      allowedOrigins.includes("*")
        ? ["PARLEY_ALLOWED_ORIGINS must name the origins in production: * lets every website act as your users"]
        : [],
  },
  {
    refuses: "`PARLEY_RATE_LIMITS=off`",
    problems: ({ rateLimits }) => (rateLimits === "off" ? ["PARLEY_RATE_LIMITS must be on in production"] : []),
  },
  {
    refuses: "a data folder or database file that other users of the machine can read",
    problems: (config) =>
      pathsOpenToOthers(config).map(
        (path) => `PARLEY_DATA_DIR: ${path} is open to every user of this machine; run: chmod o-rwx ${path}`,
      ),
  },
  {
    refuses: "a PostgreSQL on another machine without `sslmode=verify-full`, unless `PARLEY_DATABASE_PLAINTEXT=true`",
    problems: unverifiedDatabase,
  },
  {
    refuses: "a Redis on another machine without a password",
    problems: ({ redisUrls }) =>
      redisUrls
        .filter((url) => isRemoteRedis(url) && !hasRedisPassword(url))
        .map((url) => `REDIS_URL must have a password for ${redisName(url)}: private messages pass through it`),
  },
  { refuses: "an RPC server of a chain that is neither `https` nor on this machine", problems: plaintextServers },
  { refuses: "a treasury key with fewer than two RPC servers of that chain", problems: lonelyTreasuries },
  {
    refuses: "a treasury key and a currency without a limit in `PARLEY_PAYOUT_DAILY_MAX`",
    problems: uncappedPayouts,
  },
  {
    refuses: "a treasury key and a native coin without a limit in `PARLEY_PAYOUT_GAS_DAILY_MAX`",
    problems: uncappedGas,
  },
];

/** A setting that production accepts although a safer one exists. */
type Advice = (config: Config) => string | false;

const ADVICE: readonly Advice[] = [
  ({ host, trustedProxies }) =>
    !isLoopbackAddress(host) &&
    trustedProxies.length > 0 &&
    trustedProxies.every((proxy) => isLoopbackAddress(proxy)) &&
    `HOST is ${host}, so clients can bypass the proxy on this machine; set HOST=127.0.0.1`,
  ({ trustedProxies }) =>
    trustedProxies.some((proxy) => proxy.endsWith("/0")) &&
    "PARLEY_TRUSTED_PROXIES trusts every address, so any caller can fake their address and evade the rate limits; name the proxy",
  ({ database, databasePlaintext }) =>
    databasePlaintext &&
    isUnverified(database) &&
    "PARLEY_DATABASE_PLAINTEXT=true sends passwords and messages to PostgreSQL without verified TLS; add sslmode=verify-full to DATABASE_URL",
  ({ redisUrls }) =>
    redisUrls.some((url) => isRemoteRedis(url) && !isEncryptedRedis(url)) &&
    "REDIS_URL leads to another machine without TLS, and private messages pass through it; use rediss:// or a private network",
  (config) =>
    isPlaintextS3(config) &&
    "PARLEY_S3_ENDPOINT leads to another machine without TLS, and private files pass through it; use https or a private network",
  ({ metricsPublic }) => metricsPublic && "PARLEY_METRICS_PUBLIC=true shows /metrics to everyone; prefer a token",
  ({ claimStrict }) =>
    !claimStrict &&
    "PARLEY_CLAIM_STRICT=false lets callers in the same network redeem each other's verification codes; set it to true",
  ({ paymentAllowUnbound }) =>
    paymentAllowUnbound &&
    "PARLEY_PAYMENT_ALLOW_UNBOUND=true lets the first caller who sends a transaction's hash have what it paid for; set it to false",
  ({ evmRpcUrls }) => evmRpcUrls.length > 0 && evmRpcUrls.length < 3 && fewServers("PARLEY_EVM_RPC_URL"),
  ({ solanaRpcUrls }) => solanaRpcUrls.length > 0 && solanaRpcUrls.length < 3 && fewServers("PARLEY_SOLANA_RPC_URL"),
  ({ evmConfirmations }) =>
    typeof evmConfirmations === "number" &&
    `PARLEY_EVM_CONFIRMATIONS=${evmConfirmations} accepts blocks that the chain can still replace; prefer finalized`,
  (config) =>
    tokensWithoutShareMin(config).length > 0 &&
    `PARLEY_PACKET_SHARE_MIN has no amount for ${tokensWithoutShareMin(config).join(", ")}: the default of a hundredth may be worth less than the gas of its payout`,
  () => process.getuid?.() === 0 && "Parley runs as root; run it as a user of its own",
];

const isLoopbackAddress = (address: string): boolean => isLoopback(address) || address === "::1";

const fewServers = (name: string): string =>
  `${name} names fewer than three servers: with two, one that lies or is down stops payments; a single one is trusted alone`;

/** Returns advice on settings that production accepts although a safer choice exists; each text names that choice. */
export function productionAdvice(config: Config): string[] {
  return ADVICE.map((advice) => advice(config)).filter((text) => text !== false);
}

/** Returns everything in these settings that production refuses, whatever their profile is. */
export function unsafeInProduction(config: Config): string[] {
  return PRODUCTION_RULES.flatMap(({ problems }) => problems(config));
}

/** Returns the data folder and a database file outside it, if other users of the machine can read them. */
function pathsOpenToOthers({ dataDir, database }: Config): string[] {
  const paths = [dataDir];
  if (database.kind === "sqlite" && dirname(database.path) !== dataDir) paths.push(database.path);
  return paths.filter((path) => {
    // A path that does not exist yet is checked when the server creates it.
    const mode = existsSync(path) ? statSync(path).mode : 0;
    return process.platform !== "win32" && (mode & 0o007) !== 0;
  });
}

function unverifiedDatabase({ database, databasePlaintext }: Config): string[] {
  if (databasePlaintext || !isUnverified(database)) return [];
  return [
    "DATABASE_URL must have ?sslmode=verify-full in production, because PostgreSQL is on another machine (add sslrootcert=<file> for a CA of your own); PARLEY_DATABASE_PLAINTEXT=true accepts that others can read and change the stored data",
  ];
}

/** True if the database is reached over a network where other machines could eavesdrop or impersonate it. */
function isUnverified(database: Config["database"]): boolean {
  if (database.kind === "sqlite") return false;
  const address = postgresAddress(database.url);
  return !isLocal(address) && address.tlsMode !== "verify-full";
}
