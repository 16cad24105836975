import type { Clock } from "./clock.ts";
import type { Cluster } from "./cluster/cluster.ts";
import type { Config } from "./config/config.ts";
import type { Db } from "./db/db.ts";
import type { Identity } from "./http/identity.ts";
import type { Log } from "./logging/log.ts";
import type { Metrics } from "./metrics/metrics.ts";
import type { RateLimiter } from "./rate-limit/rate-limiter.ts";
import type { Broker } from "./realtime/broker/broker.ts";
import type { Hub } from "./realtime/hub.ts";
import type { Presence } from "./realtime/presence/presence.ts";
import type { RedisShards } from "./redis/shards.ts";
import type { Timing } from "./timing.ts";

/** Everything a service may use: the platform, built explicitly in server.ts, replaceable in tests. */
export interface AppContext {
  readonly config: Config;
  readonly log: Log;
  readonly clock: Clock;
  readonly timing: Timing;
  readonly db: Db;
  readonly metrics: Metrics;
  /** The nodes of the cluster; null on a lone server. */
  readonly cluster: Cluster | null;
  /** The Redis servers of the cluster; null on a lone server. */
  readonly redis: RedisShards | null;
  readonly broker: Broker;
  readonly hub: Hub;
  readonly presence: Presence;
  readonly limiter: RateLimiter;
  /** Identifies this incarnation of the data; changes on restore (protocol §8). */
  readonly epoch: string;
  /** The server's context without a transaction. */
  readonly root: AppContext;
  /** The act of a user or agent that this work is part of. Absent: nobody's right is needed (http/acts/act.ts). */
  readonly act?: Act | undefined;
  /** True while rights are decided again: nothing that is remembered counts, and rows are locked. */
  readonly readsAnew?: boolean;
  /** In-memory state of the slices for this server; accessed through `perServer`. */
  readonly slots: Map<symbol, unknown>;
  /** Returns the error code if the database is unavailable or full; undefined: the database did not cause the error. */
  storageError(error: unknown): "storage_full" | "storage_unavailable" | undefined;
  /**
   * Runs `act` when the writes are durable: at once outside a transaction, after the commit inside one, never after a
   * rollback. Events are published here. `inDoubt` runs instead if the connection was lost before the database
   * confirmed the commit; what it does must be right whether or not the commit succeeded.
   */
  afterCommit(act: () => void, inDoubt?: () => void): void;
  /** Runs when the server stops, in reverse order of registration. */
  onClose(act: () => void | Promise<void>): void;
}

/** An act of a user or agent, from its admission to its last commit (http/acts/act.ts). */
export interface Act {
  /** Has every transaction that follows decide again before it writes: something slow comes next, or much is at stake. */
  decideAtWrite(): void;
  /**
   * Adds a check that let the act in, which runs again when the act is decided again. `channelId`: changes of that
   * channel, and of the caller's place in it, concern the check.
   */
  remember(check: RightCheck, channelId?: number): void;
  /** The same for what the caller proved besides, such as a password, which does not decide whether their level suffices. */
  rememberProof(check: RightCheck): void;
  /** The session in which a user acts; null: an agent acts. */
  readonly session: { userId: number; sessionId: number } | null;
  /** True if no right of the act has been touched since it was decided. */
  holds(ctx: AppContext): boolean;
  /** True if a transaction of the act must decide again before it writes. */
  mustDecide(ctx: AppContext): boolean;
  /**
   * Notes a commit. `held`: the act held before the effects of that commit, so that what it touched itself does not
   * concern it.
   */
  committed(ctx: AppContext, held: boolean): void;
  /** Decides again with what the database holds now. Throws the error that the act would get if it began now. */
  decideAgain(ctx: AppContext): Promise<void>;
}

/** Throws unless the caller, as the database knows them now, may still do what they began. */
export type RightCheck = (ctx: AppContext, caller: Identity) => unknown;

/** True if what this server remembers may be used; otherwise the database is read on the context's connection. */
export const usesMemory = (ctx: AppContext): boolean => ctx.readsAnew !== true && !ctx.db.isTransaction;

/**
 * Declares state of one server and one slice: created on first use, shared by that server's transactions, discarded
 * with the server. Two servers in one process (as in tests) never share it.
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

/** Without `readonly`. */
export type Writable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * Returns an object that has all fields of another one, as they are at any later time. The caller sets those that differ,
 * one by one: `Object.assign` and property descriptors cost a request several times as much.
 */
export const derived = <T extends object>(of: T): Writable<T> => Object.create(of);
