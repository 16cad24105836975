import type { AppContext } from "../context.ts";
import { fail } from "../errors.ts";
import { actingFor } from "../http/acts/act.ts";
import type { Asking } from "../http/admission.ts";
import type { AgentIdentity, Identity, UserIdentity } from "../http/identity.ts";
import type { RateDecision } from "../rate-limit/rate-limiter.ts";
import type { Trust } from "../realtime/control/trust.ts";
import type { Connection } from "./connection.ts";
import { ackFrame } from "./frames.ts";
import type { Connections } from "./registry.ts";
import type { SharedSockets } from "./shared-sockets.ts";

/** Counts the changes that can end a subscription, so that a pending join notices one. */
export interface Rights {
  version: number;
}

/** The state that all commands share. */
export interface GatewayParts {
  readonly ctx: AppContext;
  readonly connections: Connections;
  /** The sockets on all nodes; null on a lone server. */
  readonly shared: SharedSockets | null;
  readonly rights: Rights;
  /** On a node of a cluster: whether it may act on what it has in memory. */
  readonly trust: Trust | null;
  /** The gateway's clock, in seconds. */
  second(): number;
}

/** A command in progress. */
export class Call implements Asking {
  /** The caller of a socket pays for each command. */
  readonly isCounted = false;
  rate: RateDecision | undefined;
  readonly #parts: GatewayParts;
  readonly connection: Connection;
  /** JSON of the command's ref. */
  readonly ref: string;
  readonly #next: (connection: Connection) => void;
  #isReleased = false;
  #ctx: AppContext | undefined;

  constructor(parts: GatewayParts, connection: Connection, ref: string, next: (connection: Connection) => void) {
    this.#parts = parts;
    this.connection = connection;
    this.ref = ref;
    this.#next = next;
  }

  /** The context of the command: what it changes is an act of the socket's caller, as long as they have the right. */
  get ctx(): AppContext {
    this.#ctx ??= actingFor(this.#parts.ctx, this.connection.identity, this.connection.rightsAt);
    return this.#ctx;
  }

  /** The server's context, for what changes nothing: it is cheaper, because no act begins. */
  get readingCtx(): AppContext {
    return this.#parts.ctx;
  }

  get shared(): SharedSockets | null {
    return this.#parts.shared;
  }

  get connections(): Connections {
    return this.#parts.connections;
  }

  get trust(): Trust | null {
    return this.#parts.trust;
  }

  get rights(): Rights {
    return this.#parts.rights;
  }

  get second(): number {
    return this.#parts.second();
  }

  get caller(): Identity {
    return this.connection.identity;
  }

  get address(): string {
    return this.connection.address;
  }

  /** The user who sent it. Errors: `session_required`. */
  get user(): UserIdentity {
    const { identity } = this.connection;
    if (identity.kind !== "user") throw fail("session_required");
    return identity;
  }

  /** The user or agent who sent it. Errors: `session_required`. */
  get member(): UserIdentity | AgentIdentity {
    const { identity } = this.connection;
    if (identity.kind === "guest") throw fail("session_required");
    return identity;
  }

  /** The agent who sent it. Errors: `missing_api_key`. */
  get agent(): AgentIdentity {
    const { identity } = this.connection;
    if (identity.kind !== "agent") throw fail("missing_api_key");
    return identity;
  }

  /** Acknowledges the command; `body` is JSON text. */
  ack(body: string): void {
    this.connection.send(ackFrame(this.ref, body));
    this.readingCtx.metrics.framesSent(1);
  }

  /** Lets the next command of this socket start: what this command still does no longer depends on order. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#next(this.connection);
  }
}
