import { DEAD_SECONDS, FRAME_BYTES, PING_SECONDS, SLOW_READER_BYTES } from "@parley/protocol/limits";
import { CLOSE } from "@parley/protocol/realtime";
import type { Server, WebSocketHandler } from "bun";
import { andThen } from "../base/maybe-promise.ts";
import type { AppContext } from "../context.ts";
import { fail } from "../errors.ts";
import { rightsNow } from "../http/acts/act.ts";
import { errorResponse } from "../http/answers/respond.ts";
import { addressReader } from "../http/connections/address.ts";
import type { Route } from "../http/route.ts";
import { type Trust, trustOf } from "../realtime/control/trust.ts";
import { frameOf } from "../realtime/frame-text.ts";
import { intervalOf } from "../timing.ts";
import { greetAgent } from "./agent-sockets.ts";
import type { GatewayParts, Rights } from "./call.ts";
import { makeCommands } from "./commands.ts";
import { Connection, type Socket, type Visitor } from "./connection.ts";
import { Dispatcher } from "./dispatcher.ts";
import { passToEverybody } from "./everybody.ts";
import { readyFrame } from "./frames.ts";
import { admit, asksForCompact } from "./handshake.ts";
import { endOwnSession } from "./login.ts";
import { Connections, holdFrames, Laggards } from "./registry.ts";
import { refreshIdentity, watchRevocations } from "./revocation.ts";
import { SharedSockets } from "./shared-sockets.ts";
import { attachIdentity, releaseAll } from "./subscriptions.ts";
import { checkPace, sweep } from "./sweep.ts";

const BEAT_MS = 1_000;
/**
 * After a longer gap between two beats the whole process had stopped, as with a paused virtual machine: what clients sent
 * meanwhile is not read yet, and says that they live. So the gap does not count for them.
 */
const PAUSE_SECONDS = DEAD_SECONDS / 2;
/** Delay between a socket falling behind and the check of all sockets. */
const PACE_MS = 25;
/** Bun terminates a socket a quarter above the limit: room for what one burst adds between two checks. */
const HARD_LIMIT = SLOW_READER_BYTES * 1.25;
/** A burst of at least this many handshakes leaves garbage worth collecting afterwards. */
const BURST = 500;
/** A restart closes this many sockets, then yields to the event loop. */
const CLOSE_BATCH = 500;

type Upgraded = Response | undefined;

/**
 * The WebSocket endpoint `/api/ws` (protocol §8): turns the commands of users' sockets into the service calls that the
 * routes make.
 */
export class Gateway implements AsyncDisposable {
  /** One handler object for all sockets. */
  readonly websocket: WebSocketHandler<Connection>;
  readonly connections = new Connections();
  readonly #ctx: AppContext;
  readonly #shared: SharedSockets | null;
  readonly #addressOf: ReturnType<typeof addressReader>;
  readonly #dispatcher: Dispatcher;
  readonly #trust: Trust | null;
  readonly #timer: Timer;
  readonly #laggards = new Laggards();
  #paceTimer: Timer | null = null;
  #ids = 0;
  /** The seconds of the clock for which the process ran, as of the last beat. */
  #second = 0;
  /** The seconds of the pauses. */
  #paused = 0;
  #isDraining = false;
  /** Sockets opened since the last collection, and since the last tick. */
  #openedSince = 0;
  #openedNow = 0;

  constructor(ctx: AppContext, routes: readonly Route[]) {
    this.#ctx = ctx;
    this.#addressOf = addressReader(ctx);
    const rights: Rights = { version: 0 };
    const { redis, cluster } = ctx;
    const isShared = redis !== null && cluster !== null;
    this.#shared = isShared ? new SharedSockets(ctx, redis, cluster, this.connections) : null;
    const { connections } = this;
    const trust = trustOf(ctx);
    const second = () => this.#second;
    const parts: GatewayParts = { ctx, connections, shared: this.#shared, rights, trust, second };
    if (trust !== null) holdFrames(ctx, trust, connections);
    this.#trust = trust;
    this.#dispatcher = new Dispatcher(parts, makeCommands(routes));
    this.websocket = this.#handler();
    this.#second = Math.floor(ctx.clock.monotonic() / 1_000);
    watchRevocations(parts);
    passToEverybody(ctx, connections);
    this.#timer = setInterval(() => this.#beat(), intervalOf(ctx, BEAT_MS));
    this.#timer.unref();
    ctx.hub.spareSlow((topic) => this.#laggards.leaveOut(topic));
    ctx.hub.watch((frames, isPressed) => {
      ctx.metrics.framesSent(frames);
      if (isPressed) this.#paceTimer ??= setTimeout(() => this.#checkPaces(), PACE_MS).unref();
    });
  }

  /** Answers the handshake with a refusal, or with nothing when the connection has become a socket. */
  upgrade(request: Request, server: Server<Connection>): Upgraded | Promise<Upgraded> {
    server.timeout(request, this.#ctx.timing.idleSeconds);
    const address = this.#addressOf(request, server.requestIP(request)?.address);
    try {
      if (this.#isDraining) throw fail("draining", { retryAfter: 1 });
      const doors = { connections: this.connections, shared: this.#shared };
      const heard = this.#trust === null || this.#trust.isGood ? undefined : this.#trust.good();
      const admitted = andThen(heard, () => admit(this.#ctx, doors, request, address));
      if (!(admitted instanceof Promise)) return this.#accept(request, server, address, admitted.visitor);
      return admitted
        .then(({ visitor, release }) => {
          try {
            return this.#accept(request, server, address, visitor);
          } finally {
            release?.();
          }
        })
        .catch((error: unknown) => this.#refuse(request, error));
    } catch (error) {
      return this.#refuse(request, error);
    }
  }

  /**
   * Sends `server:draining` to all sockets and closes them with 1012; accepts no new ones (protocol §10). The clients
   * are asked to return within that many milliseconds.
   */
  async drain(retryWithinMs: number): Promise<void> {
    this.#isDraining = true;
    const goodbye = frameOf("server:draining", JSON.stringify({ retry_within_ms: retryWithinMs }));
    let closed = 0;
    for (const connection of [...this.connections.all]) {
      connection.send(goodbye);
      connection.socket?.close(CLOSE.restart, "restart");
      if (++closed % CLOSE_BATCH === 0) await new Promise(setImmediate);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDraining = true;
    clearInterval(this.#timer);
    if (this.#paceTimer !== null) clearTimeout(this.#paceTimer);
    for (const connection of [...this.connections.all]) connection.socket?.terminate();
  }

  #accept(request: Request, server: Server<Connection>, address: string, visitor: Visitor): Upgraded {
    const data = new Connection(++this.#ids, address, visitor, asksForCompact(request));
    data.rightsAt = rightsNow(this.#ctx);
    if (server.upgrade(request, { data })) return undefined;
    throw fail("invalid_request", { message: "This request is not a WebSocket handshake." });
  }

  #refuse(request: Request, error: unknown): Response {
    const requestId = Buffer.from(this.#ctx.clock.random(8)).toString("hex");
    return errorResponse(this.#ctx, request, { requestId, private: false, rate: undefined, extra: undefined }, error);
  }

  #handler(): WebSocketHandler<Connection> {
    return {
      maxPayloadLength: FRAME_BYTES,
      backpressureLimit: HARD_LIMIT,
      closeOnBackpressureLimit: true,
      // `sweep` pings sockets and detects dead ones; its comment has the reason.
      idleTimeout: 0,
      sendPings: false,
      perMessageDeflate: false,
      open: (socket) => this.#open(socket),
      message: ({ data: connection }, raw) => {
        connection.heardAt = this.#second;
        this.#dispatcher.receive(connection, raw);
      },
      // Bun answers pings by itself. They cost as much as frames, so they count as frames (protocol §8).
      ping: ({ data: connection }) => this.#hear(connection),
      pong: ({ data: connection }) => this.#hear(connection),
      drain: ({ data: connection }) => {
        if (connection.slowSince === -1) this.#dispatcher.drained(connection);
        else checkPace(this.#ctx, connection, this.#second);
      },
      close: ({ data: connection }) => this.#close(connection),
    };
  }

  #hear(connection: Connection): void {
    connection.heardAt = this.#second;
    if (connection.isOpen) this.#dispatcher.countFrame(connection);
  }

  #open(socket: Socket): void {
    const connection = socket.data;
    connection.socket = socket;
    connection.heardAt = this.#second;
    // Spreads the pings of sockets that connected together.
    connection.pingAt = this.#second + PING_SECONDS - (connection.id % 5);
    this.connections.add(connection);
    this.#openedNow += 1;
    this.#ctx.metrics.socketOpened();
    const isAgent = connection.identity.kind === "agent";
    if (!isAgent) socket.send(readyFrame(this.#ctx, connection));
    attachIdentity(this.#ctx, connection);
    if (isAgent) void greetAgent(this.#ctx, connection);
    // The session may have ended since its lookup, and the socket receives such notices only from here on. Checking
    // again is free while the session is cached.
    void refreshIdentity(this.#ctx, connection);
  }

  #close(connection: Connection): void {
    connection.socket = null;
    connection.waiting = null;
    this.connections.remove(connection);
    if (!this.#isDraining) endOwnSession(this.#ctx, connection);
    releaseAll(this.#ctx, connection);
    this.#ctx.metrics.socketClosed();
  }

  #beat(): void {
    const second = Math.floor(this.#ctx.clock.monotonic() / 1_000) - this.#paused;
    const gap = second - this.#second;
    if (gap > PAUSE_SECONDS) this.#paused += gap;
    else this.#second = second;
    sweep(this.#ctx, this.connections, this.#second);
    this.#collect();
  }

  /**
   * Runs the garbage collector in the first quiet second after a burst. Handshakes leave garbage, and idle sockets
   * allocate nothing that would trigger a collection.
   */
  #collect(): void {
    this.#openedSince += this.#openedNow;
    const isQuiet = this.#openedNow === 0;
    this.#openedNow = 0;
    if (!isQuiet || this.#openedSince < BURST) return;
    this.#openedSince = 0;
    Bun.gc(true);
  }

  #checkPaces(): void {
    this.#paceTimer = null;
    for (const connection of this.connections.all) {
      checkPace(this.#ctx, connection, this.#second);
      this.#laggards.look(connection);
    }
  }
}

/** Creates the gateway of a server. Its commands have twins among the routes. Its timers start at once; sockets arrive through `upgrade`. */
export function createGateway(ctx: AppContext, routes: readonly Route[]): Gateway {
  return new Gateway(ctx, routes);
}
