import { type Static, type TSchema, Type } from "typebox";

/** The shapes of the responses we use (Solana JSON-RPC, https://solana.com/docs/rpc). */

/** A u64: a number, or a bigint if it is no safe integer (`http.ts`). */
export const U64 = Type.Union([Type.Integer({ minimum: 0 }), Type.BigInt({ minimum: 0n })]);
export const Slot = Type.Integer({ minimum: 0 });
const Base58 = Type.String({ pattern: "^[1-9A-HJ-NP-Za-km-z]{32,88}$", maxLength: 88 });
const Base64 = Type.Tuple([Type.String({ pattern: "^[A-Za-z0-9+/]*={0,2}$" }), Type.Literal("base64")]);

const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
/** A value as of one slot. */
const at = <T extends TSchema>(value: T) => Type.Object({ context: Type.Object({ slot: Slot }), value });

export const Hash = Base58;
export const EpochInfo = Type.Object({ absoluteSlot: Slot, blockHeight: Slot });
export const LatestBlockhash = at(Type.Object({ blockhash: Base58, lastValidBlockHeight: Slot }));
export const Valid = at(Type.Boolean());
export const Lamports = at(U64);
/** Response of getRecentPrioritizationFees: micro-lamports per compute unit. */
export const Prices = Type.Array(Type.Object({ prioritizationFee: U64 }));
/** Response of getBlock, without its transactions. */
export const BlockHead = Type.Object({ blockHeight: Slot });
/** `err` is null, or the error. */
export const Simulation = at(Type.Object({ err: Type.Unknown() }));

/** Response of getSignatureStatuses for one signature. */
export const Statuses = at(
  Type.Tuple([
    nullable(
      Type.Object({
        slot: Slot,
        err: Type.Unknown(),
        confirmationStatus: Type.Enum(["processed", "confirmed", "finalized"]),
      }),
    ),
  ]),
);

export const MaybeAccount = at(nullable(Type.Object({ data: Base64, owner: Base58, lamports: U64 })));

const TokenBalance = Type.Object({
  /** Index in the transaction's accounts. */
  accountIndex: Type.Integer({ minimum: 0, maximum: 255 }),
  mint: Base58,
  owner: Base58,
  uiTokenAmount: Type.Object({
    amount: Type.String({ pattern: "^[0-9]{1,20}$" }),
    decimals: Type.Integer({ minimum: 0, maximum: 255 }),
  }),
});
export type TokenBalance = Static<typeof TokenBalance>;

/** Response of getTransaction, in base64: the signed bytes, and the server's claim of what they did. */
export const RpcTransaction = Type.Object({
  slot: Slot,
  /** Epoch seconds. null is rejected: the server has forgotten it and cannot tell the transaction's age. */
  blockTime: Type.Integer({ minimum: 0 }),
  transaction: Base64,
  meta: Type.Object({
    err: Type.Unknown(),
    fee: U64,
    preBalances: Type.Array(U64, { maxItems: 256 }),
    postBalances: Type.Array(U64, { maxItems: 256 }),
    preTokenBalances: Type.Array(TokenBalance, { maxItems: 256 }),
    postTokenBalances: Type.Array(TokenBalance, { maxItems: 256 }),
    /** Accounts from look-up tables. */
    loadedAddresses: Type.Optional(
      nullable(
        Type.Object({
          writable: Type.Array(Base58, { maxItems: 256 }),
          readonly: Type.Array(Base58, { maxItems: 256 }),
        }),
      ),
    ),
  }),
});
export type RpcTransaction = Static<typeof RpcTransaction>;
export const MaybeTransaction = nullable(RpcTransaction);
