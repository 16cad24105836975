import { type Static, Type } from "typebox";
import { CARD_SECONDS_DEFAULT, CARD_SECONDS_MAX, CARD_SECONDS_MIN, CARD_VALUE_MAX } from "./card-limits.ts";
import {
  ActionId,
  type ApprovalRule,
  CardResult,
  Components,
  Interaction,
  type InteractionStatus,
  QuestionKind,
  Quorum,
  type Vote,
  Who,
} from "./cards.ts";
import { Id, model, Nullable, response, Timestamp } from "./values.ts";

/** The question that a card asks, as an agent sends it (protocol §12.6). */
export const InteractionInput = Type.Object({
  kind: QuestionKind,
  who: Who,
  expires_in: Type.Optional(
    Type.Integer({
      minimum: CARD_SECONDS_MIN,
      maximum: CARD_SECONDS_MAX,
      description: `Seconds until nobody can answer any more; ${CARD_SECONDS_DEFAULT} by default.`,
    }),
  ),
  quorum: Type.Optional(Quorum),
});
export type InteractionInput = Static<typeof InteractionInput>;

/** The fields of a card in an agent's send (protocol §12.6). */
export const cardFields = {
  components: Type.Optional(Nullable(Components)),
  interaction: Type.Optional(Nullable(InteractionInput)),
};

/** The code of a card whose shape is wrong. */
export const CARD_INVALID = { components: "invalid_components", interaction: "invalid_components" } as const;

const CardFields = Type.Object(cardFields);
export type CardFields = Static<typeof CardFields>;

/** The server's signed word on the end of an interaction (protocol §12.6). */
export const Receipt = model("Receipt", "The server's signed word on how an interaction ended.", {
  payload_hash: Type.String(),
  result: Nullable(CardResult),
  decided_at: Timestamp,
  key_id: Type.String({ description: "The key at /.well-known/parley-keys.json." }),
  signed: Type.String({
    description:
      "The signed text: JSON with all facts. Trust what it says, not the fields beside it, which repeat parts of it.",
  }),
  signature: Type.String({ description: "Ed25519 over the UTF-8 bytes of `signed`, in base64." }),
});
export type Receipt = Static<typeof Receipt>;

/** The contents of `signed` in a receipt. */
export interface SignedDecision {
  type: "parley.decision.v1";
  interaction_id: number;
  channel_id: number;
  agent_id: number;
  kind: QuestionKind;
  who: Who;
  quorum: number;
  /** The channel's rule at the decision; absent if it had none. */
  rule?: ApprovalRule;
  status: Exclude<InteractionStatus, "open">;
  payload_hash: string;
  votes: Vote[];
  result: CardResult | null;
  decided_at: string;
}

/** A public key of the server (protocol §12.6). */
export const ReceiptKeysResponse = response({
  keys: Type.Array(
    Type.Object({
      key_id: Type.String(),
      algorithm: Type.Literal("Ed25519"),
      public_key: Type.String({ description: "The 32 bytes of the key in base64." }),
      public_key_pem: Type.String({ description: "The same key in PEM, as openssl reads it." }),
      created_at: Timestamp,
      retired_at: Nullable(Type.String({ ...Timestamp, description: "Since when it signs nothing new." })),
    }),
    { description: "The newest first. Retired keys stay, so that old receipts can be verified." },
  ),
});
export type ReceiptKeysResponse = Static<typeof ReceiptKeysResponse>;

/** /api/interactions/:interaction_id and below. */
export const InteractionParams = Type.Object({ interaction_id: Id });

/** GET /api/interactions/:interaction_id. */
export const InteractionQuery = Type.Object({
  wait: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: "Seconds to wait while it is open, from 0 to 30; only for the agent that asked.",
    }),
  ),
});

export type InteractionQuery = Static<typeof InteractionQuery>;

/** Answer of GET /api/interactions/:interaction_id and of its cancellation. */
export const InteractionResponse = response({
  interaction: Interaction,
  receipt: Nullable(
    Type.Object(Receipt.properties, { description: "null while it is open, and once a voter's account is erased." }),
  ),
});
export type InteractionResponse = Static<typeof InteractionResponse>;

/** POST /api/interactions/:interaction_id/press (protocol §12.6). */
export const PressBody = Type.Object({
  action_id: ActionId,
  value: Type.Optional(
    Nullable(
      Type.String({
        maxLength: CARD_VALUE_MAX,
        description: "The option of a select, or the value that the pressed button showed.",
      }),
    ),
  ),
});
export type PressBody = Static<typeof PressBody>;

/** Data of `interaction:press` (protocol §8). */
export const PressData = Type.Object({ interaction_id: Id, ...PressBody.properties });
export type PressData = Static<typeof PressData>;

/** Answer of a press. */
export const PressResponse = response({ interaction: Interaction });
export type PressResponse = Static<typeof PressResponse>;
