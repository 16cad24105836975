import { type Static, Type } from "typebox";
import {
  CARD_ELEMENTS,
  CARD_LABEL_MAX,
  CARD_ROWS,
  CARD_TEXT_MAX,
  CARD_USERS_MAX,
  CARD_VALUE_MAX,
  CARD_VOTES_SHOWN,
  KEYBOARD_ROW_BUTTONS,
  MARKUP_BUTTONS,
  MARKUP_TEXT_MAX,
  MENU_ROW_BUTTONS,
  QUORUM_MAX,
} from "./card-limits.ts";
import { Id, model, Nullable, Timestamp } from "./values.ts";

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

/** The rows that a message shows: those of a card, or the buttons of a menu, which has more of them (protocol §15.6). */
export const ShownComponents = Type.Array(
  Type.Object({
    type: Type.Literal("row"),
    elements: Type.Array(
      Type.Union([
        Type.Object({ ...CardButton.properties, label: Type.String({ minLength: 1, maxLength: MARKUP_TEXT_MAX }) }),
        CardSelect,
        Type.Object({ ...CardLink.properties, label: Type.String({ minLength: 1, maxLength: MARKUP_TEXT_MAX }) }),
      ]),
      { minItems: 1, maxItems: MENU_ROW_BUTTONS },
    ),
  }),
  { minItems: 1, maxItems: MARKUP_BUTTONS, description: "What the message shows below its text." },
);

/** Buttons that a bot shows above the composer; each sends its own text (protocol §15.6). */
export const ReplyKeyboard = model("ReplyKeyboard", "Buttons above the reader's composer that send their own text.", {
  rows: Type.Array(
    Type.Array(Type.String({ minLength: 1, maxLength: MARKUP_TEXT_MAX }), {
      minItems: 1,
      maxItems: KEYBOARD_ROW_BUTTONS,
    }),
    { maxItems: MARKUP_BUTTONS, description: "The texts of the buttons. Empty: the bot's earlier keyboards go." },
  ),
  one_time: Type.Boolean({ description: "It goes when the reader has sent the text of a button." }),
  selective: Type.Boolean({
    description: "Only for those whom the message mentions, and for the sender of the message that it answers.",
  }),
  placeholder: Nullable(Type.String({ description: "Shown in the empty composer." })),
});
export type ReplyKeyboard = Static<typeof ReplyKeyboard>;

const ASKING = ["approval", "choice", "open"] as const;
const ABOUT_ASKING =
  "`approval`: has the actions `approve` and `deny`; one `deny` decides, `approve` decides at the quorum. `choice`: the first press decides. `open`: everybody may press until it expires.";

/** The kind of a question, which a send names. */
export const QuestionKind = Type.Enum(ASKING, { description: ABOUT_ASKING });
export type QuestionKind = Static<typeof QuestionKind>;

export const InteractionKind = Type.Enum([...ASKING, "menu"], {
  description: `${ABOUT_ASKING} \`menu\`: buttons of a bot, which asks nothing and decides nothing (§15.6).`,
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

export const Quorum = Type.Integer({
  minimum: 1,
  maximum: QUORUM_MAX,
  description: "Only for approvals: how many different people must approve; 1 by default.",
});

/** A channel's rule for those who decide there (protocol §12.6). */
export const ApprovalRule = model("ApprovalRule", "What a channel asks of those who decide what agents ask there.", {
  role: Type.Enum(["member", "admin", "owner"], {
    description: "The least role in the channel of those who decide an approval or a choice.",
  }),
  quorum: Type.Integer({
    minimum: 1,
    maximum: QUORUM_MAX,
    description: "The least number of different people who must approve.",
  }),
});
export type ApprovalRule = Static<typeof ApprovalRule>;

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
  quorum: Quorum,
  status: InteractionStatus,
  expires_at: Nullable(Type.String({ ...Timestamp, description: "null: a menu, which does not expire." })),
  votes: Type.Array(Vote, {
    description: `Each person's last press, oldest first. Of an open card the newest ${CARD_VOTES_SHOWN}.`,
  }),
  vote_count: Type.Integer({ minimum: 0, description: "All presses that counted." }),
  result: Nullable(CardResult),
  decided_at: Nullable(Type.String({ ...Timestamp, description: "When it was decided, expired or was cancelled." })),
  payload_hash: Nullable(
    Type.String({
      description: "SHA-256 in hexadecimal of the JSON text `[content, components]`, without spaces. null: a menu.",
    }),
  ),
});
export type Interaction = Static<typeof Interaction>;
