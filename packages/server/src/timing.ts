import { IDLE_SECONDS } from "@parley/protocol/limits";

/** How long a server waits. No setting changes this: tests of a whole server shorten it instead of waiting as long. */
export interface Timing {
  /** Seconds for a request's body, and until an idle connection is closed (protocol §9). */
  readonly idleSeconds: number;
  /** How many times as often as usual background jobs run. */
  readonly jobRate: number;
  /** The longest time for which the server waits for another server's answer, where it usually waits longer. */
  readonly answerMaxMs: number;
  /** How long a node waits for Redis before its own memory decides about a limit or a turn. */
  readonly redisAnswerMs: number;
}

/** How long a server waits outside tests. */
export const usualTiming: Timing = {
  idleSeconds: IDLE_SECONDS,
  jobRate: 1,
  answerMaxMs: Number.POSITIVE_INFINITY,
  redisAnswerMs: 50,
};

/** Returns the milliseconds between two passes of a job whose usual interval is `usualMs`. */
export const intervalOf = ({ timing }: { timing: Pick<Timing, "jobRate"> }, usualMs: number): number =>
  usualMs / timing.jobRate;

/** Returns the milliseconds to wait for another server's answer, usually `usualMs`. */
export const patienceOf = ({ timing }: { timing: Pick<Timing, "answerMaxMs"> }, usualMs: number): number =>
  Math.min(usualMs, timing.answerMaxMs);
