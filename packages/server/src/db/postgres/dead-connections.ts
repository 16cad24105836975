import type { Pool, PoolClient } from "pg";

const LOOK_MS = 1_000;

/** Fields of the driver that its types omit: the query under way, and the socket. */
type Session = PoolClient & {
  _getActiveQuery(): object | null;
  readonly connection: { readonly stream: { destroy(): void } };
};

/**
 * Finds connections of a pool that lead nowhere, as after a failover or the loss of a machine. The system would report
 * them after a quarter of an hour, and until then every request that gets one would hang.
 */
export class DeadConnections {
  readonly #silentMs: number;
  /** The query that each connection runs, and how long it was seen to run, in looks: a paused process sees nothing. */
  readonly #sessions = new Map<Session, { query: object | null; looks: number }>();
  #timer: Timer | undefined;

  /** A query without an answer after `silentMs` has a dead connection: PostgreSQL itself ends statements sooner. */
  constructor(pool: Pool, silentMs: number) {
    this.#silentMs = silentMs;
    pool.on("connect", (client) => this.#sessions.set(client as Session, { query: null, looks: 0 }));
    pool.on("remove", (client) => this.#sessions.delete(client as Session));
  }

  /** Begins to close dead connections: their queries fail, and the pool opens others. */
  start(): void {
    this.#timer = setInterval(() => this.#look(), LOOK_MS).unref();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    let isDead = false;
    for (const [session, seen] of this.#sessions) {
      const query = session._getActiveQuery();
      seen.looks = query !== null && query === seen.query ? seen.looks + 1 : 0;
      seen.query = query;
      if (seen.looks * LOOK_MS < this.#silentMs) continue;
      isDead = true;
      session.connection.stream.destroy();
    }
    if (!isDead) return;
    // The idle ones probably lead to the same place.
    for (const [{ connection }, { query }] of this.#sessions) if (query === null) connection.stream.destroy();
  }
}
