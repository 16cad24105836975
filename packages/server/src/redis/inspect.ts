import { systemClock } from "../clock.ts";
import { redisName } from "../config/redis.ts";
import { askRedis, NotRedis, RedisRefusal } from "./ask-redis.ts";

/** A Redis server's description of itself. */
export interface RedisFacts {
  /** Such as `Redis 7.0.15` or `Valkey 8.1.0`. */
  software: string;
  /** Time from opening a connection to the last answer. */
  latencyMs: number;
}

/** Why a server cannot be used, with what to do. It never contains a password. */
export interface RedisProblem {
  text: string;
  /** False if it may pass without a change of settings: the server does not answer. */
  isLasting: boolean;
  /** True if a running node can go on with it. */
  isTolerable?: boolean;
}

export interface RedisReport {
  /** Host and port. */
  name: string;
  /** Null: it does not answer, or its user may not ask. */
  facts: RedisFacts | null;
  problem: RedisProblem | null;
}

const TIMEOUT_MS = 5_000;
/** The first version with all commands and options that are used. */
const OLDEST = 6.2;

/** Asks a server whether it can serve a cluster. Never rejects. */
export async function inspectRedis(url: string, timeoutMs = TIMEOUT_MS): Promise<RedisReport> {
  const name = redisName(url);
  const start = systemClock.monotonic();
  const commands = [["PING"], ["PUBLISH", "parley:check", ""], ["SET", "parley:check", "", "PX", "1000"], ["INFO"]];
  try {
    const [login, ping, publish, write, info] = await askRedis(url, commands, timeoutMs);
    const refusal = [login, ping, publish].find((answer) => answer instanceof RedisRefusal);
    if (refusal !== undefined) return { name, facts: null, problem: refusalProblem(name, refusal.message) };
    const writeProblem = write instanceof RedisRefusal ? refusalProblem(name, write.message) : null;
    if (typeof info !== "string") return { name, facts: null, problem: writeProblem };
    const fields = fieldsOf(info);
    const problem = fieldProblem(name, fields) ?? writeProblem;
    return { name, facts: { software: softwareOf(fields), latencyMs: systemClock.monotonic() - start }, problem };
  } catch (error) {
    return { name, facts: null, problem: connectProblem(name, error) };
  }
}

/** Returns why a server, by its answer to `INFO`, cannot serve a cluster; null if it can. */
export const infoProblem = (name: string, info: string): RedisProblem | null => fieldProblem(name, fieldsOf(info));

type Fields = ReadonlyMap<string, string>;

const fieldsOf = (info: string): Fields =>
  new Map(
    info.split(/\r?\n/).flatMap((line) => {
      const colon = line.indexOf(":");
      return colon > 0 ? [[line.slice(0, colon), line.slice(colon + 1)] as const] : [];
    }),
  );

function softwareOf(fields: Fields): string {
  const valkey = fields.get("valkey_version");
  return valkey === undefined ? `Redis ${fields.get("redis_version") ?? "of unknown version"}` : `Valkey ${valkey}`;
}

function fieldProblem(name: string, fields: Fields): RedisProblem | null {
  const lasting = (text: string): RedisProblem => ({ text: `Redis at ${name} ${text}`, isLasting: true });
  const mode = fields.get("redis_mode");
  if (mode === "cluster") {
    return lasting(
      "belongs to a Redis Cluster. List independent primary servers in REDIS_URL instead; Parley spreads its data itself.",
    );
  }
  if (mode === "sentinel") return lasting("is a Sentinel. Name the primary server that it watches in REDIS_URL.");
  if (fields.get("role") === "slave") return lasting("is a replica. Name its primary in REDIS_URL.");
  const version = fields.get("redis_version");
  if (version !== undefined && Number.parseFloat(version) < OLDEST) {
    return lasting(`has version ${version}. Upgrade it to ${OLDEST} or later.`);
  }
  const policy = fields.get("maxmemory_policy");
  if (policy !== undefined && policy !== "noeviction") {
    const text = `has the eviction policy ${policy}, so it may forget who is online. Set its maxmemory-policy to noeviction.`;
    return { ...lasting(text), isTolerable: true };
  }
  return null;
}

/** Returns what to do about a command that a server has refused, by the server's message. */
export function refusalProblem(name: string, message: string): RedisProblem {
  const lasting = (text: string): RedisProblem => ({ text: `Redis at ${name} ${text}`, isLasting: true });
  const passing = (text: string): RedisProblem => ({ text: `Redis at ${name} ${text}`, isLasting: false });
  if (/^WRONGPASS/.test(message)) return lasting("refuses the user or password of REDIS_URL. Correct them.");
  if (/^NOAUTH/.test(message)) {
    return lasting("demands a password. Add it to REDIS_URL: redis://:<password>@<host>:<port>.");
  }
  if (/without any password/.test(message)) {
    return lasting("has no password, but REDIS_URL names one. Set requirepass there, or remove it here.");
  }
  if (/^DENIED/.test(message)) {
    return lasting("is in protected mode and takes only connections from its own machine. Give it a password.");
  }
  if (/^NOPERM/.test(message)) {
    return lasting("forbids its user what Parley needs. Allow all commands on the keys and channels parley:*.");
  }
  if (/^READONLY/.test(message)) return lasting("is a replica. Name its primary in REDIS_URL.");
  if (/^OOM/.test(message)) {
    return passing("is full: it has reached its maxmemory. Raise that, or remove what else is stored there.");
  }
  if (/^MISCONF/.test(message)) {
    return passing("takes no writes, because it cannot save to its disk. Make room there, or switch saving off.");
  }
  if (/^WRONGTYPE/.test(message)) {
    return passing("has data of another program under Parley's keys. Give Parley a Redis of its own.");
  }
  if (/max number of clients/.test(message)) return passing("has too many connections. Raise its maxclients.");
  return passing(`refuses to serve: ${message.split(" ")[0]}.`);
}

function connectProblem(name: string, error: unknown): RedisProblem {
  if (error instanceof NotRedis) {
    return { text: `What answers at ${name} is not Redis. Correct REDIS_URL.`, isLasting: true };
  }
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const passing = (text: string): RedisProblem => ({ text, isLasting: false });
  if (code === "ENOTFOUND" || code === "EAI_AGAIN" || code.startsWith("DNS_")) {
    return passing(`The host of Redis at ${name} has no address. Check REDIS_URL, and the name server.`);
  }
  if (code === "ECONNREFUSED") return passing(`Nothing listens at ${name}. Start Redis there, or correct REDIS_URL.`);
  const tls = "and that REDIS_URL has rediss:// exactly if it uses TLS.";
  if (code === "ETIMEDOUT") return passing(`Redis at ${name} does not answer. Check the network, ${tls}`);
  if (code === "ECONNRESET") return passing(`Redis at ${name} closes connections. Check its log, ${tls}`);
  if (/CERT|TLS|SSL|SIGNED|ALTNAME/.test(code)) {
    return { text: `TLS to Redis at ${name} fails (${code}). Check its certificate and REDIS_URL.`, isLasting: true };
  }
  return passing(`Redis at ${name} cannot be reached${code === "" ? "" : ` (${code})`}. Check REDIS_URL.`);
}
