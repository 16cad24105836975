import { type Static, Type } from "typebox";
import { THREAD_PARTICIPANTS_MAX } from "./limits.ts";
import { ActorKind, model, Nullable, Seq, Timestamp } from "./values.ts";

/** What a message that began a thread says about it (protocol §13.1). */
export const Thread = model("Thread", "The replies to a message, in short.", {
  reply_count: Type.Integer({ minimum: 0, description: "Replies that are not deleted." }),
  last_reply_at: Nullable(Type.String({ ...Timestamp, description: "When the newest of them was sent." })),
  last_reply_seq: Nullable(Type.Integer({ ...Seq, description: "Its number." })),
  participants: Type.Array(Type.Object({ kind: ActorKind, name: Type.String() }), {
    maxItems: THREAD_PARTICIPANTS_MAX,
    description: "Who replied, the newest first.",
  }),
  is_locked: Type.Boolean({ description: "Only the channel's admins may reply." }),
  following: Nullable(
    Type.Boolean({
      description: "Whether the caller follows it; null in events and for guests, which are the same for all readers.",
    }),
  ),
  unread_count: Nullable(
    Type.Integer({ minimum: 0, description: "Replies that the caller has not read; null where `following` is null." }),
  ),
});
export type Thread = Static<typeof Thread>;
