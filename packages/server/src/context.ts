import type { Kysely } from "kysely";
import type { Clock } from "./clock.ts";
import type { Config } from "./config.ts";
import type { Tables } from "./db/tables.ts";
import type { Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import type { RateLimiter } from "./rate-limiter.ts";
import type { Broker } from "./realtime/broker.ts";
import type { Hub } from "./realtime/hub.ts";
import type { Presence } from "./realtime/presence.ts";

/** Everything a service may touch: the platform, built by hand in server.ts, overridable in tests. */
export interface AppContext {
  readonly config: Config;
  readonly log: Log;
  readonly clock: Clock;
  readonly db: Kysely<Tables>;
  readonly metrics: Metrics;
  readonly broker: Broker;
  readonly hub: Hub;
  readonly presence: Presence;
  readonly limiter: RateLimiter;
  /** Names this incarnation of the data; changes on restore (protocol §8). */
  readonly epoch: string;
  /** The context outside every transaction; itself, when this is that one. */
  readonly root: AppContext;
  /** What slices keep in memory for this server; reached through `perServer`. */
  readonly slots: Map<symbol, unknown>;
  /** The code to answer when the database refused: away, or full. undefined: the error is none of the database's. */
  storageError(error: unknown): "storage_full" | "storage_unavailable" | undefined;
  /**
   * Runs when what was written is durable: at once outside a transaction, after the commit inside one, never after a rollback.
   * Events leave here. `inDoubt` runs instead when the database went away before it said whether the commit stands: what it does must be
   * right in both cases.
   */
  afterCommit(act: () => void, inDoubt?: () => void): void;
  /** Runs when the server stops, in reverse order of registration. */
  onClose(act: () => void | Promise<void>): void;
}

/**
 * State that belongs to one server and one slice: made on first use, shared by the transactions of that server, gone with it.
 * Two servers in one process (tests, a cluster in one test) never share it.
 */
export function perServer<T>(make: (ctx: AppContext) => T): (ctx: AppContext) => T {
  const key = Symbol(make.name);
  return (ctx) => {
    const found = ctx.slots.get(key);
    if (found !== undefined) return found as T;
    const made = make(ctx.root);
    ctx.slots.set(key, made);
    return made;
  };
}
