import { type Static, Type } from "typebox";

/**
 * From x402 version 2 (https://github.com/x402-foundation/x402, specs/x402-specification-v2.md): the scheme `exact` on
 * EVM chains, in which a wallet signs a transfer (EIP-3009) and a facilitator submits it to the chain. Every value is
 * text, as wallets send it.
 */

const EvmAddress = Type.String({ pattern: "^0x[0-9a-fA-F]{40}$" });
const Digits = Type.String({ pattern: "^(0|[1-9][0-9]{0,77})$" });

/** `TransferWithAuthorization` of EIP-3009. Times are epoch seconds. */
export const TransferAuthorization = Type.Object({
  from: EvmAddress,
  to: EvmAddress,
  value: Digits,
  validAfter: Digits,
  validBefore: Digits,
  nonce: Type.String({ pattern: "^0x[0-9a-fA-F]{64}$" }),
});
export type TransferAuthorization = Static<typeof TransferAuthorization>;

/** The scheme's part of the payload. */
export const ExactPayload = Type.Object({
  authorization: TransferAuthorization,
  signature: Type.String({ minLength: 1, maxLength: 512 }),
});
export type ExactPayload = Static<typeof ExactPayload>;

/** An entry of `accepts`, as a wallet returns the one it has chosen. */
export const PaymentRequirements = Type.Object({
  scheme: Type.String(),
  network: Type.String(),
  amount: Type.String(),
  asset: Type.String(),
  payTo: Type.String(),
  maxTimeoutSeconds: Type.Integer(),
  extra: Type.Object({
    name: Type.String(),
    version: Type.String(),
    paymentId: Type.String({ minLength: 1, maxLength: 128 }),
  }),
});
export type PaymentRequirements = Static<typeof PaymentRequirements>;

/** A facilitator's response to POST /verify. */
export const VerifyResponse = Type.Object({
  isValid: Type.Boolean(),
  invalidReason: Type.Optional(Type.Union([Type.String(), Type.Null()])),
});
export type VerifyResponse = Static<typeof VerifyResponse>;

/** A facilitator's response to POST /settle. */
export const SettleResponse = Type.Object({
  success: Type.Boolean(),
  /** Empty if there is none. */
  transaction: Type.String(),
  errorReason: Type.Optional(Type.Union([Type.String(), Type.Null()])),
});
export type SettleResponse = Static<typeof SettleResponse>;

/** A facilitator's response to GET /supported. */
export const SupportedResponse = Type.Object({
  kinds: Type.Array(Type.Object({ x402Version: Type.Integer(), scheme: Type.String(), network: Type.String() })),
});
export type SupportedResponse = Static<typeof SupportedResponse>;
