import type { LoginBody } from "@parley/protocol/accounts";
import type { EventData, EventName } from "@parley/protocol/events";
import type { BackOff } from "./back-off.ts";
import type { Pace } from "./outbox.ts";

/** An event of the server, discriminated by `event`. */
export type LiveEvent = { [N in EventName]: { event: N; data: EventData<N> } }[EventName];

/**
 * `waiting`: disconnected, and will reconnect. `ended`: reconnects only on `open()`; `LiveConnection.error` has the
 * reason.
 */
export type LiveState = "connecting" | "live" | "waiting" | "ended";

export interface LiveOptions {
  /**
   * Logs every socket in by `auth:login`. Not needed if the client has a session: its cookie is sent with the
   * handshake.
   */
  login?: LoginBody | undefined;
  backOff?: BackOff | undefined;
  /** Seconds between pings. Default 20. */
  pingSeconds?: number | undefined;
  pace?: Pace | undefined;
}
