/** Limits of streaming messages and of long answers (protocol §12.7). */

/** Open streams of one agent, and the seconds without an append after which the server ends one. */
export const STREAMS_PER_AGENT = 5;
export const STREAM_IDLE_SECONDS = 60;
export const STREAM_STATUS_MAX = 120;
/** Open streams with their text in the ack of a join. */
export const STREAMS_IN_ACK = 20;
/** Messages of one send-many. */
export const MANY_MIN = 2;
export const MANY_MAX = 5;
