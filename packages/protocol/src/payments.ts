import { type Static, Type } from "typebox";
import { Price } from "./price.ts";
import { Amount, HumanText, Id, Limit, model, Nullable, response, Timestamp } from "./values.ts";

const ChainName = Type.Enum(["evm", "solana"]);

/**
 * The challenge of a 402. The header `PAYMENT-REQUIRED` has the first seven fields, as JSON; the body's `payment` has all
 * of them (protocol §7, "Payment-required flow").
 */
export const PaymentDemand = model("PaymentDemand", "What must be paid, and how the payment can be proven.", {
  amount: Type.String({
    ...Amount,
    description:
      "The amount to pay: the price plus a unique tail, so that a transfer of exactly this amount identifies the caller.",
  }),
  price: Type.String({
    ...Amount,
    description:
      "The bare price. It is enough if a signature, the paymentId in the transaction or a proven address identifies the payer.",
  }),
  currency: Type.String(),
  chainId: Type.Integer(),
  recipient: Type.String({ description: "The wallet to pay." }),
  paymentId: Type.String({ description: "Identifies this challenge; valid for one payment." }),
  resource: Type.String({ description: "The path of the resource." }),
  expiresAt: Timestamp,
  chain: ChainName,
  tokenAddress: Nullable(Type.String({ description: "The token's contract or mint; null for the native coin." })),
  decimals: Type.Integer({ minimum: 0 }),
  messageToSign: Type.String({
    description: "The payer's signature over this text proves that the payment is theirs.",
  }),
  x402Url: Type.Optional(
    Type.String({ description: "The address at which a client of x402 asks for the same resource. Only over HTTP." }),
  ),
});
export type PaymentDemand = Static<typeof PaymentDemand>;

/** The query of a route that takes payments. */
export const X402_QUERY = {
  x402: Type.Optional(
    Type.Boolean({
      description:
        "Whether PAYMENT-REQUIRED and PAYMENT-RESPONSE have the form of x402, in base64. By default as the server is configured, and true with X402-Version: 2.",
    }),
  ),
};
export const PaidQuery = Type.Object(X402_QUERY);

/** The fields of `PAYMENT-REQUIRED`, in this order. */
export const DEMAND_HEADER = [
  "amount",
  "currency",
  "chainId",
  "recipient",
  "paymentId",
  "resource",
  "expiresAt",
] as const satisfies readonly (keyof PaymentDemand)[];

/**
 * `PAYMENT-SIGNATURE` as JSON, or the same in base64; a bare hash means `{txHash}`. `signature` is the payer's, over
 * `messageToSign`, which contains `paymentId`, so it requires that field (protocol §7).
 */
export const PaymentProof = Type.Object({
  txHash: Type.String({ minLength: 1, maxLength: 128 }),
  paymentId: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 128 }))),
  payer: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 128 }))),
  signature: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 512 }))),
  refetchToken: Type.Optional(
    Nullable(
      Type.String({
        minLength: 1,
        maxLength: 128,
        description: "Fetches the resource that the transaction bought again.",
      }),
    ),
  ),
});
export type PaymentProof = Static<typeof PaymentProof>;

/** Returned in the first 200 for a payment, and never again (protocol §7). */
export const RefetchToken = Type.Optional(
  Type.String({
    description: "Fetches the resource again for one day, as `refetchToken` in PAYMENT-SIGNATURE. Shown once.",
  }),
);

/** `PAYMENT-RESPONSE` (protocol §7, "Payment data"). */
export const PaymentResponse = Type.Object({
  txHash: Type.String(),
  verified: Type.Boolean(),
  refetchToken: RefetchToken,
});
export type PaymentResponse = Static<typeof PaymentResponse>;

/** The text that the payer's wallet signs (EIP-191 on EVM chains, ed25519 on Solana). */
export const paymentMessage = (paymentId: string, resource: string): string =>
  `I made this payment.\n\nPayment: ${paymentId}\nResource: ${resource}`;

/** Maximum length of `PAYMENT-SIGNATURE`, in characters. */
export const PAYMENT_HEADER_MAX = 4_096;
/** Lifetime of a challenge, and how long a paid resource can be fetched again (protocol §7). */
export const PAYMENT_SECONDS = 10 * 60;
export const PAYMENT_REPEAT_SECONDS = 24 * 3_600;
/** Unused challenges with a unique amount that an account may have; further ones ask for the bare price (protocol §7). */
export const DEMAND_TAILS_MAX = 20;
/** Maximum bytes of a paid resource. */
export const PAID_BYTES = 10 * 1024 * 1024;

/** A slug under /api/paid. */
export const PaidSlug = Type.String({ pattern: "^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$" });
/** /api/paid/:resource_slug. Accepts any text: an impossible one is 404 `resource_not_found`. */
export const PaidParams = Type.Object({ resource_slug: Type.String({ minLength: 1 }) });
/** /api/admin/paid/:slug. */
export const PaidAdminParams = Type.Object({ slug: Type.String({ minLength: 1 }) });

/** A paid resource, without its content. */
export const PaidResource = model("PaidResource", "A resource that is sold under /api/paid.", {
  slug: PaidSlug,
  url: Type.String(),
  description: Nullable(Type.String()),
  media_type: Type.String(),
  size_bytes: Type.Integer({ minimum: 0 }),
  price: Price,
  chain: ChainName,
  sold: Type.Integer({ minimum: 0, description: "Payments that were granted for this resource." }),
  created_by: Type.String(),
  created_at: Timestamp,
});
export type PaidResource = Static<typeof PaidResource>;

/** POST /api/admin/paid: exactly one of `text`, `json` and `base64` is the content. */
export const PaidBody = Type.Object({
  slug: PaidSlug,
  price: Price,
  description: Type.Optional(Nullable(Type.String({ maxLength: 250 }))),
  text: Type.Optional(Type.String({ description: "Served as text/plain unless `media_type` is set." })),
  json: Type.Optional(Type.Unknown({ description: "Any JSON value, served as application/json." })),
  base64: Type.Optional(Type.String({ description: "Bytes in base64. Their type is `media_type`." })),
  media_type: Type.Optional(Type.String({ pattern: "^[a-z0-9.+-]+/[a-z0-9.+-]+(; ?charset=[a-z0-9-]+)?$" })),
});
export type PaidBody = Static<typeof PaidBody>;

/** Response of POST /api/admin/paid. */
export const PaidResponse = response({
  message: HumanText,
  resource: PaidResource,
  deduplicated: Type.Optional(Type.Boolean()),
});
export type PaidResponse = Static<typeof PaidResponse>;
/** Response of GET /api/admin/paid. */
export const PaidListResponse = response({ resources: Type.Array(PaidResource) });
export type PaidListResponse = Static<typeof PaidListResponse>;
/** Response of DELETE /api/admin/paid/:slug. */
export const PaidRemovedResponse = response({ message: HumanText, slug: Type.String() });
export type PaidRemovedResponse = Static<typeof PaidRemovedResponse>;

/** The state of a payment. */
export const PaymentState = Type.Enum(["verifying", "granted", "refused", "revoked"], {
  description:
    "`verifying`: the chain is being asked. `revoked`: it was granted, but its block is no longer part of the chain.",
});
export type PaymentState = Static<typeof PaymentState>;

/** A payment as the operator sees it. */
export const PaymentRecord = model("Payment", "A transaction that was presented as payment for a resource.", {
  id: Id,
  state: PaymentState,
  reason: Nullable(Type.String({ description: "Why it was refused or revoked." })),
  resource: Type.String(),
  chain: ChainName,
  chain_id: Type.Integer(),
  currency: Type.String(),
  tx_hash: Type.String(),
  price: Type.String(),
  amount: Nullable(Type.String({ description: "The amount that arrived. It may exceed the price." })),
  recipient: Type.String(),
  payer: Nullable(Type.String({ description: "The address that paid." })),
  binding: Nullable(
    Type.Enum(["signature", "reference", "profile", "amount", "none"], {
      description: "How the payer was identified.",
    }),
  ),
  presented_by: Type.String({ description: "`user:<name>`, `agent:<id>` or `guest`." }),
  created_at: Timestamp,
  granted_at: Nullable(Timestamp),
});
export type PaymentRecord = Static<typeof PaymentRecord>;

/** GET /api/admin/payments. */
export const PaymentsQuery = Type.Object({
  state: Type.Optional(PaymentState),
  resource: Type.Optional(Type.String({ minLength: 1 })),
  username: Type.Optional(Type.String({ minLength: 1 })),
  tx_hash: Type.Optional(Type.String({ minLength: 1 })),
  limit: Type.Optional(Limit),
  before: Type.Optional(Id),
});
export type PaymentsQuery = Static<typeof PaymentsQuery>;

/** Payments received in one asset by one wallet. */
export const PaymentTotal = Type.Object({
  chain: ChainName,
  chain_id: Type.Integer(),
  currency: Type.String(),
  recipient: Type.String(),
  amount: Type.String({ description: "The total of the granted payments." }),
  count: Type.Integer({ minimum: 0 }),
});
export type PaymentTotal = Static<typeof PaymentTotal>;

/** Response of GET /api/admin/payments/totals. */
export const PaymentTotalsResponse = response({ totals: Type.Array(PaymentTotal) });
export type PaymentTotalsResponse = Static<typeof PaymentTotalsResponse>;

/** Response of GET /api/admin/payments, the newest first. */
export const PaymentsResponse = response({
  payments: Type.Array(PaymentRecord),
  has_more: Type.Boolean(),
  next_before: Nullable(Id),
  limit: Type.Integer({ minimum: 1 }),
});
export type PaymentsResponse = Static<typeof PaymentsResponse>;
