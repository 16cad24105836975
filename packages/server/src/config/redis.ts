import { isLoopback } from "./parse.ts";

/** Parses `redis://user:password@host:port/0` or `rediss://…`. Throws an Error that does not repeat the password. */
export function redisUrl(raw: string): string {
  const url = URL.parse(raw);
  if (url === null || !["redis:", "rediss:", "valkey:", "valkeys:"].includes(url.protocol) || url.hostname === "") {
    throw new Error("must be redis://:<password>@<host>:<port>, or several of them separated by commas");
  }
  if (!/^(\/\d{0,4})?$/.test(url.pathname) || url.search !== "" || url.hash !== "") {
    throw new Error("must name a server, optionally with the number of a database, such as redis://127.0.0.1:6379/0");
  }
  return raw;
}

/** Returns the host and port of a Redis URL, for messages: never its password. */
export function redisName(raw: string): string {
  const { hostname, port } = new URL(raw);
  return `${hostname}:${port === "" ? "6379" : port}`;
}

/** True if the URL leads to another machine. */
export const isRemoteRedis = (raw: string): boolean => {
  const { hostname } = new URL(raw);
  return !isLoopback(hostname) && hostname !== "[::1]";
};

export const hasRedisPassword = (raw: string): boolean => new URL(raw).password !== "";

export const isEncryptedRedis = (raw: string): boolean => /^(rediss|valkeys):$/.test(new URL(raw).protocol);

/** Returns what is wrong with the Redis settings beside the others. */
export function redisProblems(redisUrls: readonly string[], databaseKind: "sqlite" | "postgres"): string[] {
  if (redisUrls.length === 0) return [];
  const names = redisUrls.map(redisName);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return [
    ...(databaseKind === "sqlite"
      ? ["REDIS_URL needs PostgreSQL: only one server can use a SQLite file. Set DATABASE_URL, or remove REDIS_URL"]
      : []),
    ...(twice === undefined ? [] : [`REDIS_URL names ${twice} twice`]),
  ];
}
