import { IDLE_SECONDS } from "@parley/protocol/limits";

/** How long a server waits. No setting changes this: tests of a whole server shorten it instead of waiting as long. */
export interface Timing {
  /** Seconds for a request's body, and until an idle connection is closed (protocol §9). */
  readonly idleSeconds: number;
  /** The longest interval between two passes of a background job, in milliseconds. */
  readonly jobMaxMs: number;
}

/** How long a server waits outside tests. Each background job has its own interval. */
export const usualTiming: Timing = { idleSeconds: IDLE_SECONDS, jobMaxMs: Number.POSITIVE_INFINITY };
