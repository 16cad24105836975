import { type Static, Type } from "typebox";
import {
  CARD_ELEMENTS,
  CARD_LABEL_MAX,
  CARD_ROWS,
  CARD_SECONDS_DEFAULT,
  CARD_SECONDS_MAX,
  CARD_SECONDS_MIN,
  CARD_TEXT_MAX,
  CARD_USERS_MAX,
  CARD_VALUE_MAX,
  CARD_VOTES_SHOWN,
  QUORUM_MAX,
} from "./card-limits.ts";
import { Id, model, Nullable, response, Timestamp } from "./values.ts";

/** The name of a button or select within its card. */
export const ActionId = Type.String({ pattern: "^[A-Za-z0-9_.:-]{1,64}$" });
const Label = Type.String({ minLength: 1, maxLength: CARD_LABEL_MAX });
const Value = Type.String({ maxLength: CARD_VALUE_MAX });

const CardButton = Type.Object({
  type: Type.Literal("button"),
  action_id: ActionId,
  label: Label,
  style: Type.Optional(Type.Enum(["default", "primary", "danger"])),
  value: Type.Optional(Value),
  confirm: Type.Optional(
    Type.String({ minLength: 1, maxLength: CARD_TEXT_MAX, description: "Asked before the button counts as pressed." }),
  ),
});
const CardSelect = Type.Object({
  type: Type.Literal("select"),
  action_id: ActionId,
  placeholder: Type.Optional(Label),
  options: Type.Array(Type.Object({ label: Label, value: Type.String({ minLength: 1, maxLength: CARD_VALUE_MAX }) }), {
    minItems: 2,
    maxItems: 25,
  }),
});
const CardLink = Type.Object({
  type: Type.Literal("link"),
  label: Label,
  url: Type.String({ maxLength: 2_000, description: "An address with http or https." }),
});
export const CardElement = Type.Union([CardButton, CardSelect, CardLink]);
export type CardElement = Static<typeof CardElement>;

/** The rows of a card, as a message carries them (protocol §12.6). */
export const Components = Type.Array(
  Type.Object({
    type: Type.Literal("row"),
    elements: Type.Array(CardElement, { minItems: 1, maxItems: CARD_ELEMENTS }),
  }),
  { minItems: 1, maxItems: CARD_ROWS, description: "What the message shows below its text. At most 8 KiB of JSON." },
);
export type Components = Static<typeof Components>;

export const InteractionKind = Type.Enum(["approval", "choice", "open"], {
  description:
    "`approval`: has the actions `approve` and `deny`; one `deny` decides, `approve` decides at the quorum. `choice`: the first press decides. `open`: everybody may press until it expires.",
});
export type InteractionKind = Static<typeof InteractionKind>;

/** The people who may answer: everybody to whom one of the fields applies (protocol §12.6). */
export const Who = Type.Object(
  {
    users: Type.Optional(Type.Array(Type.String(), { maxItems: CARD_USERS_MAX, description: "Usernames." })),
    roles: Type.Optional(
      Type.Array(Type.Enum(["member", "admin", "owner"]), {
        maxItems: 3,
        description: "Roles in the channel; a role includes the higher ones. An approval does not take `member`.",
      }),
    ),
    min_admin_level: Type.Optional(Type.Integer({ minimum: 1, maximum: 3, description: "A level on the site." })),
    owner: Type.Optional(Type.Boolean({ description: "The verified owner of the agent that asks." })),
  },
  { description: "The people who may answer: everybody to whom one of the fields applies. Never an agent or a guest." },
);
export type Who = Static<typeof Who>;

const quorum = Type.Integer({
  minimum: 1,
  maximum: QUORUM_MAX,
  description: "Only for approvals: how many different people must approve; 1 by default.",
});

/** The question that a card asks, as an agent sends it (protocol §12.6). */
export const InteractionInput = Type.Object({
  kind: InteractionKind,
  who: Who,
  expires_in: Type.Optional(
    Type.Integer({
      minimum: CARD_SECONDS_MIN,
      maximum: CARD_SECONDS_MAX,
      description: `Seconds until nobody can answer any more; ${CARD_SECONDS_DEFAULT} by default.`,
    }),
  ),
  quorum: Type.Optional(quorum),
});
export type InteractionInput = Static<typeof InteractionInput>;

/** The fields of a card in an agent's send (protocol §12.6). */
export const cardFields = {
  components: Type.Optional(Nullable(Components)),
  interaction: Type.Optional(Nullable(InteractionInput)),
};
const CardFields = Type.Object(cardFields);
export type CardFields = Static<typeof CardFields>;

const Vote = Type.Object({ username: Type.String(), action_id: ActionId, at: Timestamp });
export type Vote = Static<typeof Vote>;

/** One answer (protocol §12.6). */
export const CardResult = Type.Object({
  action_id: ActionId,
  value: Nullable(Type.String({ description: "The chosen option of a select, or the `value` of a button." })),
  username: Type.String({ description: "Who pressed; of an approval, whose vote decided." }),
  at: Timestamp,
});
export type CardResult = Static<typeof CardResult>;

export const InteractionStatus = Type.Enum(["open", "decided", "expired", "cancelled"]);
export type InteractionStatus = Static<typeof InteractionStatus>;

/** The state of a card's question (protocol §12.6). */
export const Interaction = model("Interaction", "The question that a card asks, and its answers so far.", {
  interaction_id: Type.Integer({ ...Id, description: "The same number as `message_id`." }),
  message_id: Id,
  kind: InteractionKind,
  who: Who,
  quorum,
  status: InteractionStatus,
  expires_at: Timestamp,
  votes: Type.Array(Vote, {
    description: `Each person's last press, oldest first. Of an open card the newest ${CARD_VOTES_SHOWN}.`,
  }),
  vote_count: Type.Integer({ minimum: 0, description: "All presses that counted." }),
  result: Nullable(CardResult),
  decided_at: Nullable(Type.String({ ...Timestamp, description: "When it was decided, expired or was cancelled." })),
  payload_hash: Type.String({
    description: "SHA-256 in hexadecimal of the JSON text `[content, components]`, without spaces.",
  }),
});
export type Interaction = Static<typeof Interaction>;

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
  kind: InteractionKind;
  who: Who;
  quorum: number;
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
  value: Type.Optional(Nullable(Type.String({ maxLength: CARD_VALUE_MAX, description: "The option of a select." }))),
});
export type PressBody = Static<typeof PressBody>;

/** Data of `interaction:press` (protocol §8). */
export const PressData = Type.Object({ interaction_id: Id, ...PressBody.properties });
export type PressData = Static<typeof PressData>;

/** Answer of a press. */
export const PressResponse = response({ interaction: Interaction });
export type PressResponse = Static<typeof PressResponse>;
