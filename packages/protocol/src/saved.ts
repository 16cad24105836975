import { type Static, Type } from "typebox";
import { ChatMessage } from "./models.ts";
import { Id, Limit, model, Nullable, response, Timestamp } from "./values.ts";

/** Messages that a user can have saved at once. */
export const SAVED_MAX = 1_000;

/** A message that a user has saved, as they may read it now (protocol §13.14). */
export const SavedMessage = model("SavedMessage", "A message that the user has saved.", {
  saved_id: Type.Integer({ ...Id, description: "Its place in the list: pass it as `before`." }),
  message_id: Id,
  saved_at: Timestamp,
  is_available: Type.Boolean({
    description: "false: the message is deleted or has ended, or the user may not read it now.",
  }),
  chat_message: Nullable(ChatMessage),
});
export type SavedMessage = Static<typeof SavedMessage>;

/** /api/saved/:messageId. */
export const SavedParams = Type.Object({ messageId: Id });

/** GET /api/saved (protocol §13.14). */
export const SavedQuery = Type.Object({
  limit: Type.Optional(Limit),
  before: Type.Optional(Type.Integer({ ...Id, description: "`next_before` of the page before." })),
});
export type SavedQuery = Static<typeof SavedQuery>;

/** Response of GET /api/saved, the newest first (protocol §13.14). */
export const SavedListResponse = response({
  saved: Type.Array(SavedMessage),
  has_more: Type.Boolean(),
  next_before: Nullable(Id),
  limit: Type.Integer({ minimum: 1 }),
});
export type SavedListResponse = Static<typeof SavedListResponse>;

/** Response of GET /api/saved/ids: every message that the user has saved, the newest first (protocol §13.14). */
export const SavedIdsResponse = response({ message_ids: Type.Array(Id, { maxItems: SAVED_MAX }) });
export type SavedIdsResponse = Static<typeof SavedIdsResponse>;

const savedState = {
  message_id: Id,
  saved_at: Nullable(Type.String({ ...Timestamp, description: "null: it is not saved." })),
};

/** Response of PUT and DELETE (protocol §13.14). */
export const SavedResponse = response(savedState);
export type SavedResponse = Static<typeof SavedResponse>;

/** The events of saved messages, a part of `EVENTS` (events.ts). */
export const SAVED_EVENTS = {
  "saved:update": {
    summary: "The user has saved a message, or has removed one from the saved ones. Sent to all sockets of the user.",
    data: Type.Object(savedState),
    durable: false,
  },
} as const;
