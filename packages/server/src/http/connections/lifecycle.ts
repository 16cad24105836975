import { perServer } from "../../context.ts";

/** The server's state, which readiness checks report. A draining server closes each connection with its next answer. */
export interface Lifecycle {
  state: "starting" | "ready" | "draining";
  /** The port the server listens on; 0 before it listens. */
  port: number;
}

export const lifecycle = perServer((): Lifecycle => ({ state: "starting", port: 0 }));

/** Connections that may return each second without delaying the others' handshakes noticeably. */
const RETURNS_PER_SECOND = 5_000;

/**
 * Returns the time in milliseconds over which the clients of a stopping server spread their return (protocol §8,
 * `server:draining`): a second for each 5,000 connections, and at least one second.
 */
export function retryWithinMs(connections: number): number {
  return 1_000 * Math.max(1, Math.ceil(connections / RETURNS_PER_SECOND));
}
