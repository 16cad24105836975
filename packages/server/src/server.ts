import { HEAD_SECONDS } from "@parley/protocol/limits";
import type { WebSocketHandler } from "bun";
import { countAgentStreams, endAgentStreams } from "./agents/events/open-stream-limits.ts";
import { createApp } from "./app.ts";
import { pause } from "./base/timers.ts";
import { type Clock, systemClock } from "./clock.ts";
import type { Config } from "./config/config.ts";
import type { AppContext } from "./context.ts";
import { createContext } from "./create-context.ts";
import { endOnFatal, type OpenDatabase, openDatabase } from "./db/database.ts";
import { startFeeds } from "./event-log/feed/feed.ts";
import type { Connection } from "./gateway/connection.ts";
import { createGateway, type Gateway } from "./gateway/gateway.ts";
import { GRACE_MS } from "./gateway/subscriptions.ts";
import type { AnswerObserver } from "./http/answers/finish.ts";
import { startConnectionLimit } from "./http/connections/connection-limit.ts";
import { lifecycle, retryWithinMs } from "./http/connections/lifecycle.ts";
import { notListening, refuseForeignHost } from "./http/connections/listen-errors.ts";
import { createLog, type Log } from "./logging/log.ts";
import { appendQueue } from "./messages/append/append.ts";
import { doorsOf, type Module, modulesFor, refuseOpenWork, routesOf } from "./module.ts";
import { MODULES } from "./modules.ts";
import type { Broker } from "./realtime/broker/broker.ts";
import { startControlPoll } from "./realtime/control/control-poll.ts";
import { startDoubts } from "./realtime/doubt.ts";
import { startPresenceReaper } from "./realtime/presence/redis/reaper.ts";
import { startUserList } from "./realtime/presence/user-list.ts";
import { type Timing, usualTiming } from "./timing.ts";

/** A running server. Disposing it drains it: see `stop`. */
export interface RunningServer extends AsyncDisposable {
  /** The server's address, such as `http://127.0.0.1:3000`. */
  readonly url: string;
  readonly ctx: AppContext;
  /** Resolves when the server must be disposed of because a newer release removes what it needs from the database. */
  readonly outdated: Promise<void>;
}

/** Parts that a test can replace. */
export interface Overrides {
  clock?: Clock;
  /** The clock by which a lone server counts the rates of callers; `clock` if absent. */
  quotaClock?: Clock;
  /** The differences from `usualTiming`. */
  timing?: Partial<Timing>;
  log?: Log;
  broker?: Broker;
  /** Absent: `MODULES`. */
  modules?: readonly Module[];
  /** True for a node of a cluster without Redis, whose broker the test connects to the others. */
  isNode?: boolean;
  /** Already opened and migrated; the server closes it. */
  database?: OpenDatabase;
  /** Called with an error after which nothing may be acknowledged: the process must end. */
  onFatal?: (error: unknown) => void;
  /**
   * How long a stopping server is not ready and tells clients to close keep-alive connections, before it closes them; 0
   * if absent, so that tests end at once.
   */
  farewellMs?: number;
  /** Sees every answer of a route before it is sent. */
  onAnswer?: AnswerObserver;
  /** Replaces the handlers of sockets, to see their frames. */
  aroundSockets?: (handlers: WebSocketHandler<Connection>) => WebSocketHandler<Connection>;
}

/**
 * Bun refuses larger bodies, without an error code of ours. The routes' own limits are far below and apply before
 * memory is allocated: Bun makes a sender wait whose body is not read, and discards what follows the response
 * (measured, 1.4.5).
 */
const MAX_BODY = 1024 * 1024 * 1024;
/** Time limit for requests in flight after SIGTERM; the process exits within 10 s (protocol §10). */
const DRAIN_MS = 5_000;
const ARRIVAL_TURNS = 10;

/** Opens the database, builds the context and listens. Throws `StartupError` with advice if it cannot. */
export async function startServer(config: Config, overrides: Overrides = {}): Promise<RunningServer> {
  const clock = overrides.clock ?? systemClock;
  const timing = { ...usualTiming, ...overrides.timing };
  const log = overrides.log ?? createLog({ level: config.logLevel, readable: config.profile === "development" });
  const onFatal = overrides.onFatal ?? endOnFatal(log);
  const modules = modulesFor(config, overrides.modules ?? MODULES);
  await refuseForeignHost(config.host);
  // The memory broker reaches no other server: two servers without a shared broker would each show half of the
  // messages.
  const isShared = overrides.broker !== undefined || config.redisUrls.length > 0;
  const database =
    overrides.database ??
    (await openDatabase(config.database, clock, {
      onFatal,
      isShared,
      isReplicated: config.replica !== null,
      poolSize: config.postgresPool,
      log,
    }));
  const closers: (() => void | Promise<void>)[] = [];
  const { promise: outdated, resolve: onOutdated } = Promise.withResolvers<void>();
  try {
    const ctx = await createContext({
      ...overrides,
      config,
      clock,
      timing,
      log,
      database,
      onFatal,
      onOutdated,
      closers,
    });
    // Before anything is read into memory.
    await startControlPoll(ctx, { db: database.vital ?? database.db });
    startFeeds(ctx);
    startDoubts(ctx);
    if (config.value === "off") await refuseOpenWork(modules, ctx.db, clock.now());
    for (const module of modules) module.register?.(ctx, modules);
    for (const module of modules) await module.start?.(ctx);
    // Who is online again after the restart is no news.
    startUserList(ctx);
    startPresenceReaper(ctx);
    const gateway = createGateway(ctx, routesOf(modules));
    const server = listen(ctx, gateway, { ...overrides, modules });
    ctx.hub.attach(server);
    const port = server.port ?? 0;
    Object.assign(lifecycle(ctx), { state: "ready", port });
    startConnectionLimit(ctx, port);
    const end = async () => {
      lifecycle(ctx).state = "draining";
      // Not awaited: the database may not answer, and a balancer that reads this row reads `/readyz`, too.
      void ctx.cluster?.drain();
      await pause(overrides.farewellMs ?? 0);
      await stop(ctx, gateway, server, closers, database);
    };
    const url = `http://${config.host.includes(":") ? `[${config.host}]` : config.host}:${port}`;
    return { url, ctx, outdated, [Symbol.asyncDispose]: once(end) };
  } catch (error) {
    await closeAll(log, closers);
    await database[Symbol.asyncDispose]();
    throw error;
  }
}

type Parts = Overrides & Required<Pick<Overrides, "modules">>;

function listen(ctx: AppContext, gateway: Gateway, { modules, onAnswer, aroundSockets }: Parts) {
  const app = createApp(ctx, [...routesOf(modules), ...doorsOf(modules)], onAnswer);
  const { host, port } = ctx.config;
  try {
    return Bun.serve({
      hostname: host,
      port,
      maxRequestBodySize: MAX_BODY,
      // For the first request head of a connection. Bun allows 10 s for it, whatever this says (measured, 1.4.5). Each
      // request that has arrived allows `idleSeconds` from then on.
      idleTimeout: HEAD_SECONDS,
      development: false,
      // Outside development mode, Bun 1.4 shares a port that is in use: an occupied port must be an error.
      reusePort: false,
      routes: { ...app.routes, "/api/ws": app.withOneHost((request, server) => gateway.upgrade(request, server)) },
      fetch: app.fallback,
      websocket: aroundSockets?.(gateway.websocket) ?? gateway.websocket,
      error(error) {
        ctx.log.error({ err: error }, "a request failed outside the pipeline");
        return Response.json(
          { success: false, error: "The server had an unexpected error.", code: "internal_error", retryable: false },
          { status: 500 },
        );
      },
    });
  } catch (error) {
    throw notListening(host, port, error);
  }
}

/**
 * Drains the server: it accepts no new connections, answers requests in flight and closes sockets with 1012. Everything
 * acknowledged is already in the database. Takes at most 10 s (protocol §10).
 */
async function stop(
  ctx: AppContext,
  gateway: Gateway,
  server: ReturnType<typeof listen>,
  closers: (() => void | Promise<void>)[],
  database: OpenDatabase,
): Promise<void> {
  await readWhatHasArrived();
  // Bun's stop() lets requests finish but resolves only when the last socket is closed, so the gateway closes them in
  // the meantime.
  const stopped = server.stop();
  const spreadMs = retryWithinMs(gateway.connections.all.size + countAgentStreams(ctx));
  endAgentStreams(ctx, spreadMs);
  await ctx.presence.stopping(spreadMs + GRACE_MS);
  await gateway.drain(spreadMs);
  await Promise.race([stopped, pause(DRAIN_MS)]);
  await appendQueue(ctx).settled();
  await server.stop(true);
  await gateway[Symbol.asyncDispose]();
  await closeAll(ctx.log, closers);
  await database[Symbol.asyncDispose]();
}

/** Closes in reverse order of registration. A failure is logged, and the others are still closed. */
async function closeAll(log: Log, closers: (() => void | Promise<void>)[]): Promise<void> {
  for (const close of closers.splice(0).reverse()) {
    try {
      await close();
    } catch (error) {
      log.error({ err: error }, "closing the server failed");
    }
  }
}

/**
 * Bun's stop() closes a connection whose next request has arrived but is not read yet (measured, 1.4.5: 60 of 480 such
 * requests were cut off). A few turns of the event loop accept and read what arrived before the signal; from then on it
 * is in flight.
 */
async function readWhatHasArrived(): Promise<void> {
  for (let turn = 0; turn < ARRIVAL_TURNS; turn++) await new Promise(setImmediate);
}

function once(act: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => {
    running ??= act();
    return running;
  };
}
