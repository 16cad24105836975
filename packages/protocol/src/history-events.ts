import { Type } from "typebox";
import { Id } from "./values.ts";

/** The durable events by which many messages of a channel go (protocol §13.8) or come (protocol §14.7). */
export const HISTORY_EVENTS = {
  "history:purged": {
    summary:
      "Messages above the channel's age limit were deleted for good and left no tombstones: those with an id below before_message_id, except pinned messages that the channel keeps, open red packets, and the roots of threads that go on.",
    data: Type.Object({ channel_id: Id, seq: Type.Integer({ minimum: 1 }), before_message_id: Id }),
    durable: true,
  },
  "history:extended": {
    summary:
      "An import has added older messages at the end of the channel, or its undo has removed them: load afresh. It stands for the numbers since the event before it. The messages are nobody's news: they are read, and wake no agent.",
    data: Type.Object({ channel_id: Id, seq: Type.Integer({ minimum: 1 }) }),
    durable: true,
  },
} as const;
