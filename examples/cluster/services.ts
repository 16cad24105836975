import pg from "pg";

const TIMEOUT_MS = 3_000;

/** A message for the person who runs the demo. */
export class Missing extends Error {}

/** Returns the URL without its password. */
const shown = (url: string): string => url.replace(/:[^:@/]*@/, "@");

const reasonOf = (error: unknown): string => (error instanceof Error && error.message) || String(error);

/** Throws `Missing`, with advice, unless PostgreSQL accepts this URL. */
export async function reachPostgres(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: TIMEOUT_MS });
  client.on("error", () => {}); // the query under way rejects
  try {
    await client.connect();
    await client.end();
  } catch (error) {
    throw new Missing(
      `PostgreSQL cannot be used at ${shown(url)}: ${reasonOf(error)}\n` +
        "Start it, and set DATABASE_URL, or create what the demo expects:\n" +
        "  sudo -u postgres psql -c \"create role parley login password 'parley'\" -c 'create database parley owner parley'",
    );
  }
}

/** Throws `Missing`, with advice, unless Redis answers at this URL. */
export async function reachRedis(url: string): Promise<void> {
  const client = new Bun.RedisClient(url, { autoReconnect: false, connectionTimeout: TIMEOUT_MS });
  try {
    await client.connect();
    await client.send("PING", []);
  } catch (error) {
    throw new Missing(
      `Redis cannot be used at ${shown(url)}: ${reasonOf(error)}\n` +
        "Start a Redis or Valkey server, for example with: redis-server --save '' --maxmemory-policy noeviction\n" +
        "or set REDIS_URL.",
    );
  } finally {
    client.close();
  }
}
