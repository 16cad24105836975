import { type Static, Type } from "typebox";
import { Amount, Id, model, Nullable, response, Timestamp } from "./values.ts";

/** The budgets of an agent (protocol §12.8), in the order in which they are listed. */
export const BudgetName = Type.Enum([
  "messages_per_day",
  "characters_per_day",
  "cards_per_day",
  "cost_per_day",
  "payments_per_day",
  "payment_max",
]);
export type BudgetName = Static<typeof BudgetName>;

/** The largest number of messages, characters or cards a day. */
export const BUDGET_COUNT_MAX = 1_000_000_000;
/** Digits after the point that a reported cost may have. */
export const COST_DECIMALS = 9;

/** An amount on a chain, in the smallest unit. */
export const AssetAmount = Type.Object({
  chain_id: Type.Integer({ minimum: 1 }),
  currency: Type.String({ pattern: "^[A-Za-z0-9._-]{1,16}$" }),
  amount: Type.String({ ...Amount, pattern: "^(0|[1-9][0-9]{0,77})$" }),
});
export type AssetAmount = Static<typeof AssetAmount>;

/** The cost of a call of a model, in the currency of the bill. */
export const Cost = Type.Object({
  currency: Type.String({ pattern: "^[A-Z]{3,5}$", description: "Such as `USD`." }),
  amount: Type.String({
    pattern: `^(0|[1-9][0-9]{0,5})(\\.[0-9]{1,${COST_DECIMALS}})?$`,
    description: `A decimal number below a million with at most ${COST_DECIMALS} digits after the point.`,
  }),
});
export type Cost = Static<typeof Cost>;

const Count = Type.Optional(Nullable(Type.Integer({ minimum: 0, maximum: BUDGET_COUNT_MAX })));
const Assets = (description: string) => Type.Optional(Nullable(Type.Array(AssetAmount, { maxItems: 20, description })));

const budgetFields = {
  messages_per_day: Count,
  characters_per_day: Count,
  cards_per_day: Count,
  cost_per_day: Type.Optional(Nullable(Cost)),
  payments_per_day: Assets(
    "The sum of challenges and payments of a day, by asset. Assets that are not listed are not paid.",
  ),
  payment_max: Assets("The largest single payment, by asset. Assets that are not listed are not paid."),
};

/** Limits; null and nothing are none. */
export const BudgetLimits = model("BudgetLimits", "The limits of an agent's spending; null: none.", budgetFields);
export type BudgetLimits = Static<typeof BudgetLimits>;

/** PUT /api/agents/:agent_id/budgets. Fields that are missing stay as they are; null removes a limit. */
export const PutBudgetsBody = Type.Object({
  ...budgetFields,
  period_zone: Type.Optional(
    Type.String({ maxLength: 64, description: "An IANA time zone whose days are the periods; `UTC` by default." }),
  ),
  ceilings: Type.Optional(
    Type.Object(budgetFields, { description: "Limits by the server's staff, which the owner's cannot exceed." }),
  ),
});
export type PutBudgetsBody = Static<typeof PutBudgetsBody>;

const Quantity = Type.Union([Type.Integer({ minimum: 0 }), Type.String()], {
  description: "A number, or decimal digits for amounts and costs.",
});

/** What is left of one budget; of an asset's budget for each asset. */
export const BudgetState = model("BudgetState", "What an agent may still spend.", {
  budget: BudgetName,
  chain_id: Type.Optional(Type.Integer()),
  currency: Type.Optional(Type.String()),
  limit: Quantity,
  used: Quantity,
  remaining: Quantity,
});
export type BudgetState = Static<typeof BudgetState>;

/** Budgets as owner, staff and the agent itself see them. */
export const Budgets = model("Budgets", "The budgets of an agent in the current period.", {
  limits: BudgetLimits,
  ceilings: BudgetLimits,
  period_zone: Type.String(),
  resets_at: Timestamp,
  budgets: Type.Array(BudgetState, {
    description: "Those with a limit: the owner's or the ceiling, whichever is lower.",
  }),
});
export type Budgets = Static<typeof Budgets>;

/** Response of GET and PUT /api/agents/:agent_id/budgets. */
export const BudgetsResponse = response({ agent_id: Id, ...Budgets.properties });
export type BudgetsResponse = Static<typeof BudgetsResponse>;

/** The usage of the model call behind a message, as the agent reports it. */
export const UsageReport = model("UsageReport", "What the agent says that a message used. Nobody checks it.", {
  model: Type.String({ minLength: 1, maxLength: 100 }),
  input_tokens: Type.Integer({ minimum: 0, maximum: 1_000_000_000 }),
  output_tokens: Type.Integer({ minimum: 0, maximum: 1_000_000_000 }),
  cost: Type.Optional(Nullable(Cost)),
});
export type UsageReport = Static<typeof UsageReport>;

/** The field of sends by agents. */
export const usageField = { usage: Type.Optional(Nullable(UsageReport)) };

/** The longest time that one answer covers. */
export const USAGE_DAYS_MAX = 31;

const Day = Type.String({ pattern: "^\\d{4}-\\d{2}-\\d{2}$" });

/** GET /api/agents/:agent_id/usage. */
export const UsageQuery = Type.Object({
  from: Type.Optional(Type.String({ ...Day, description: "The first day; by default 29 days before the last." })),
  to: Type.Optional(Type.String({ ...Day, description: "The last day; today by default." })),
  by: Type.Optional(Type.Enum(["day", "channel"], { default: "day" })),
});
export type UsageQuery = Static<typeof UsageQuery>;

/** The usage of a day, or in a channel. */
export const UsageEntry = model("UsageEntry", "What an agent used on a day, or in a channel.", {
  day: Nullable(Type.String()),
  channel_id: Nullable(Id),
  channel_slug: Nullable(Type.String()),
  messages: Type.Integer({ minimum: 0 }),
  characters: Type.Integer({ minimum: 0 }),
  cards: Type.Integer({ minimum: 0 }),
  input_tokens: Type.Integer({ minimum: 0 }),
  output_tokens: Type.Integer({ minimum: 0 }),
  costs: Type.Array(Cost),
  models: Type.Array(Type.String()),
  payments: Type.Array(AssetAmount, { description: "Paid on that day; empty by channel." }),
});
export type UsageEntry = Static<typeof UsageEntry>;

/** Response of GET /api/agents/:agent_id/usage. */
export const UsageResponse = response({
  agent_id: Id,
  from: Type.String(),
  to: Type.String(),
  by: Type.Enum(["day", "channel"]),
  period_zone: Type.String(),
  reported: Type.Literal(true, { description: "Tokens and costs are the agent's own word." }),
  usage: Type.Array(UsageEntry),
});
export type UsageResponse = Static<typeof UsageResponse>;
