import { Type } from "typebox";
import { ANSWER_MAX } from "./card-limits.ts";
import { Interaction } from "./cards.ts";
import { Id, Nullable } from "./values.ts";

/** The events of cards and menus (protocol §8, §12.6, §15.6). */
export const CARD_EVENTS = {
  "interaction:update": {
    summary:
      "Somebody answered a card, or the question of a card was decided, expired or was cancelled; or a menu ended.",
    data: Type.Object({
      channel_id: Id,
      seq: Type.Integer({ minimum: 1 }),
      message_id: Id,
      interaction: Interaction,
    }),
    durable: true,
  },
  "interaction:answer": {
    summary:
      "A bot answered the user's press of a menu. `text` is for the user only; with `alert` it is shown until they dismiss it. Sent to all sockets of the user.",
    data: Type.Object({
      channel_id: Id,
      interaction_id: Id,
      text: Nullable(Type.String({ minLength: 1, maxLength: ANSWER_MAX })),
      alert: Type.Boolean(),
    }),
    durable: false,
  },
} as const;
