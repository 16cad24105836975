import type { LoginBody } from "@parley/protocol/accounts";
import type { EventData, EventName } from "@parley/protocol/events";
import type { Backoff } from "../backoff.ts";
import type { RequestOptions } from "../request-options.ts";
import type { OnError } from "./listeners.ts";
import type { RateLimit } from "./send-queue.ts";
import type { WebSocketClass } from "./websocket.ts";

/** An event of the server, discriminated by `event`. */
export type RealtimeEvent = { [N in EventName]: { event: N; data: EventData<N> } }[EventName];

/**
 * `waiting`: disconnected, and will reconnect. `ended`: reconnects only on `open()`; `RealtimeClient.error` has the
 * reason.
 */
export type RealtimeState = "connecting" | "live" | "waiting" | "ended";

/** Options of a command. It has no headers, and is resent on the next socket only where that is safe. */
export type CommandOptions = Pick<RequestOptions, "signal" | "timeoutMs">;

export interface RealtimeOptions {
  /**
   * Logs every socket in by `auth:login`. Not needed if the client has a session: its cookie is sent with the
   * handshake.
   */
  login?: LoginBody | undefined;
  /**
   * Makes every socket the agent's of this key, by `auth:agent`: a browser cannot send the key with the handshake.
   * Without `agent_name`, commands act under the agent's only name.
   */
  apiKey?: string | undefined;
  backoff?: Backoff | undefined;
  /** Seconds between pings. Default 20. */
  pingSeconds?: number | undefined;
  rateLimit?: RateLimit | undefined;
  /** The class of sockets, for runtimes without one: on Node 20, `WebSocket` of the package ws. */
  WebSocket?: WebSocketClass | undefined;
  /** Receives what a listener throws or rejects with. By default it is logged to the console. */
  onError?: OnError | undefined;
}
