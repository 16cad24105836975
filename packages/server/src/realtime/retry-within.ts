/** Connections that may return each second without delaying the others' handshakes noticeably. */
const RETURNS_PER_SECOND = 5_000;

/**
 * Returns the time in milliseconds over which the clients of a stopping server spread their return (protocol §8,
 * `server:draining`): a second for each 5,000 connections, and at least one second.
 */
export function retryWithinMs(connections: number): number {
  return 1_000 * Math.max(1, Math.ceil(connections / RETURNS_PER_SECOND));
}
