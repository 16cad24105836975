import { type Static, Type } from "typebox";
import { channelRef } from "./channels.ts";
import { CONTENT_MAX } from "./limits.ts";
import { ClientMsgId, SendMessageResponse } from "./messages.ts";
import { ChatMessage } from "./models.ts";
import { Id, Nullable, response } from "./values.ts";

/** Forwarded messages whose sources can be asked for at once. */
export const FORWARDS_ASKED_MAX = 100;

/** POST /api/messages/:messageId/forward (protocol §13.15). */
export const ForwardBody = Type.Object({
  ...channelRef,
  comment: Type.Optional(
    Nullable(
      Type.String({
        maxLength: CONTENT_MAX,
        description: "The sender's own words before it: at most 4,000 characters.",
      }),
    ),
  ),
  client_msg_id: Type.Optional(Nullable(ClientMsgId)),
});
export type ForwardBody = Static<typeof ForwardBody>;

/** Response of POST /api/messages/:messageId/forward: that of a send (protocol §13.15). */
export const ForwardResponse = SendMessageResponse;
export type ForwardResponse = Static<typeof ForwardResponse>;

/** GET /api/forwards (protocol §13.15). */
export const ForwardsQuery = Type.Object({
  message_ids: Type.String({
    pattern: `^[1-9][0-9]{0,15}(,[1-9][0-9]{0,15}){0,${FORWARDS_ASKED_MAX - 1}}$`,
    description: `Up to ${FORWARDS_ASKED_MAX} ids of forwarded messages, separated by commas.`,
  }),
});
export type ForwardsQuery = Static<typeof ForwardsQuery>;

/** Response of GET /api/forwards: the sources that the caller may read now (protocol §13.15). */
export const ForwardsResponse = response({
  sources: Type.Array(
    Type.Object({
      message_id: Type.Integer({ ...Id, description: "The forwarded message." }),
      chat_message: ChatMessage,
    }),
  ),
});
export type ForwardsResponse = Static<typeof ForwardsResponse>;
