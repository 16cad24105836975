import { type Static, Type } from "typebox";
import { model, Nullable, Timestamp } from "./values.ts";

/** The part of its source that a forwarded message has (protocol §13.15). */
export const Forwarded = model(
  "Forwarded",
  "What a forwarded message has of its source. GET /api/forwards says where the source is, to those who may read it.",
  {
    is_copy: Type.Boolean({ description: "false: it is only a link, and what follows is null." }),
    content: Nullable(Type.String({ description: "The text of the source, as it was then." })),
    username: Nullable(Type.String({ description: "Who wrote the source, if a user." })),
    agent_name: Nullable(Type.String({ description: "Who wrote it, if an agent." })),
    webhook_name: Nullable(Type.String({ description: "Who wrote it, if an incoming webhook." })),
    created_at: Nullable(Type.String({ ...Timestamp, description: "When the source was sent." })),
    comment_length: Type.Integer({
      minimum: 0,
      description:
        "How many UTF-16 units of the message's `content` are the sender's own words, if it was not edited. The rest repeats the source for clients that do not know this field.",
    }),
  },
);
export type Forwarded = Static<typeof Forwarded>;
