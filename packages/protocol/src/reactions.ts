import { type Static, Type } from "typebox";
import { Reaction } from "./models.ts";
import { Id, response } from "./values.ts";

/** Maximum code units of a reaction; the longest emoji has 20. */
const REACTION_UNITS = 64;

/**
 * One emoji (any of Unicode's, also with skin tone or joined), or a short name such as `like` or `+1`. The service
 * rejects other text: 400 `invalid_reaction`.
 */
export const ReactionText = Type.String({
  minLength: 1,
  maxLength: REACTION_UNITS,
  description: "One emoji, or a short name of 1 to 32 `a-z 0-9 _ + -` such as `like`; percent-encoded in a URL.",
});

/** The `invalid` of requests with a reaction. */
export const REACTION_INVALID = { reaction: "invalid_reaction" } as const;

/** /api/messages/:messageId/reactions/:reaction (protocol §4). */
export const ReactionParams = Type.Object({ messageId: Id, reaction: ReactionText });
export type ReactionParams = Static<typeof ReactionParams>;

/** `reaction:add` and `reaction:remove` (protocol §8). */
export const ReactionData = Type.Object({ message_id: Id, reaction: ReactionText });
export type ReactionData = Static<typeof ReactionData>;

/** Response of PUT and DELETE …/reactions/:reaction; idempotent (protocol §4). */
export const ReactionsResponse = response({ message_id: Id, reactions: Type.Array(Reaction) });
export type ReactionsResponse = Static<typeof ReactionsResponse>;
