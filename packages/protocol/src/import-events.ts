import { Type } from "typebox";
import { Id } from "./values.ts";

/** The durable event of imports (protocol §14.7). */
export const IMPORT_EVENTS = {
  "history:extended": {
    summary:
      "An import has added older messages at the end of the channel, or its undo has removed them: load afresh. It stands for the numbers since the event before it. The messages are nobody's news: they are read, and wake no agent.",
    data: Type.Object({ channel_id: Id, seq: Type.Integer({ minimum: 1 }) }),
    durable: true,
  },
} as const;
