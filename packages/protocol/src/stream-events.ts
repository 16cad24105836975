import { StreamDeltaData, StreamEndData, StreamStartedData } from "./streams.ts";

/** The events of messages that agents are writing, a part of `EVENTS` (events.ts, protocol §12.7). */
export const STREAM_EVENTS = {
  "stream:start": {
    summary: "An agent begins to write a message. Only sockets receive streams; event streams do not.",
    data: StreamStartedData,
    durable: false,
  },
  "stream:delta": {
    summary:
      "The next piece of a message that an agent is writing, at most one in 100 ms a stream. Read the text with GET /api/agenthub/streams/:stream_id if `offset` is beyond what you have.",
    data: StreamDeltaData,
    durable: false,
  },
  "stream:end": {
    summary:
      "An agent has finished a message, whose message:new has the same `stream_id`, or has cancelled it. On an agent's event stream an event with this name means something else: the key is no longer valid.",
    data: StreamEndData,
    durable: false,
  },
} as const;
