import type { LoginBody } from "@parley/protocol/accounts";
import type { EventData, EventName } from "@parley/protocol/events";
import type { BackOff } from "./back-off.ts";
import type { Pace } from "./outbox.ts";

/** An event of the server, told apart by `event`. */
export type LiveEvent = { [N in EventName]: { event: N; data: EventData<N> } }[EventName];

/** `waiting`: broken, and will be tried again. `ended`: not without `open()`; `LiveConnection.error` says why. */
export type LiveState = "connecting" | "live" | "waiting" | "ended";

export interface LiveOptions {
  /** Logs every socket in by `auth:login`. Not needed when the client has a session: its cookie goes with the handshake. */
  login?: LoginBody | undefined;
  backOff?: BackOff | undefined;
  /** Seconds between signs of life. Default 20. */
  pingSeconds?: number | undefined;
  pace?: Pace | undefined;
}
