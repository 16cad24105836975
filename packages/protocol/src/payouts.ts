import { type Static, Type } from "typebox";
import { HumanText, Id, Limit, model, Nullable, response, Timestamp } from "./values.ts";

/** The state of a payout (protocol §6). */
export const PayoutState = Type.Enum(["queued", "numbered", "signed", "sent", "included", "settled", "failed"], {
  description:
    "`queued`: owed. `numbered`: it has a nonce. `signed`: stored but not sent. `sent`: accepted by the chain's servers. `included`: in a block that is not final. `settled`: paid. `failed`: not paid, and no signed transaction can pay it any more.",
});
export type PayoutState = Static<typeof PayoutState>;

const PayoutPurpose = Type.Enum(["claim", "refund", "gap"], {
  description: "`gap`: moves nothing. It fills a nonce that blocks later payouts.",
});
const ChainName = Type.Enum(["evm", "solana"]);

/** A transfer that the platform owes or has made, as administrators see it. */
export const PayoutRecord = model("Payout", "A transfer that the platform owes or has made on a chain.", {
  payout_id: Id,
  key: Type.String({ description: "What the payout is for: `packet:<id>:claim:<user id>`, `packet:<id>:refund`." }),
  purpose: PayoutPurpose,
  state: PayoutState,
  hold: Nullable(Type.String({ description: "Why the payout does not continue by itself; see /guide/payouts." })),
  chain: ChainName,
  chain_id: Type.Integer(),
  currency: Type.String(),
  token_address: Nullable(Type.String()),
  recipient: Type.String(),
  amount: Type.String({ pattern: "^(0|[1-9][0-9]{0,77})$" }),
  payer: Nullable(Type.String({ description: "The wallet that pays." })),
  nonce: Nullable(Type.Integer({ minimum: 0 })),
  tx_hash: Nullable(Type.String()),
  fee_paid: Nullable(
    Type.String({ description: "In the native coin's smallest unit; set when the transaction is final." }),
  ),
  created_at: Timestamp,
  updated_at: Timestamp,
  ended_at: Nullable(Timestamp),
});
export type PayoutRecord = Static<typeof PayoutRecord>;

/** GET /api/admin/payouts. */
export const PayoutsQuery = Type.Object({
  state: Type.Optional(PayoutState),
  open: Type.Optional(
    Type.Boolean({
      description: "true: only payouts that are neither settled nor failed. false: only settled and failed ones.",
    }),
  ),
  chain: Type.Optional(ChainName),
  currency: Type.Optional(Type.String()),
  purpose: Type.Optional(PayoutPurpose),
  limit: Type.Optional(Limit),
  before: Type.Optional(Id),
});
export type PayoutsQuery = Static<typeof PayoutsQuery>;

/** Response of GET /api/admin/payouts, the newest first. */
export const PayoutsResponse = response({
  payouts: Type.Array(PayoutRecord),
  halted: Nullable(
    Type.Enum(["off", "stopped", "restored"], {
      description: "Why payouts are paused: by the setting, by the operator, or because the database was restored.",
    }),
  ),
  has_more: Type.Boolean(),
  next_before: Nullable(Id),
  limit: Type.Integer({ minimum: 1 }),
});
export type PayoutsResponse = Static<typeof PayoutsResponse>;

/** /api/admin/payouts/:payout_id */
export const PayoutParams = Type.Object({ payout_id: Id });
export type PayoutParams = Static<typeof PayoutParams>;

/** Response of POST …/retry. */
export const RetryPayoutResponse = response({ message: HumanText, payout: PayoutRecord });
export type RetryPayoutResponse = Static<typeof RetryPayoutResponse>;
