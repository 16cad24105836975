import { type Static, type TSchema, Type } from "typebox";

/**
 * The shapes of the responses we use (Ethereum JSON-RPC, https://ethereum.github.io/execution-apis). All values are hex
 * text.
 */

export const Quantity = Type.String({ pattern: "^0x[0-9a-fA-F]{1,64}$" });
export const Hash = Type.String({ pattern: "^0x[0-9a-fA-F]{64}$" });
export const Address = Type.String({ pattern: "^0x[0-9a-fA-F]{40}$" });
export const Data = Type.String({ pattern: "^0x([0-9a-fA-F]{2})*$" });

const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** Response of eth_getTransactionByHash: the fields that are checked before viem reads the rest. */
export const RpcTransaction = Type.Object({
  hash: Hash,
  blockHash: Type.Optional(nullable(Hash)),
  from: Address,
  to: Type.Optional(nullable(Address)),
  value: Quantity,
  input: Data,
  nonce: Quantity,
  gas: Quantity,
  type: Type.Optional(Quantity),
  r: Quantity,
  s: Quantity,
});
export type RpcTransaction = Static<typeof RpcTransaction>;
export const MaybeTransaction = nullable(RpcTransaction);

export const RpcLog = Type.Object({
  address: Address,
  topics: Type.Array(Hash, { maxItems: 4 }),
  data: Data,
  transactionHash: Hash,
  blockHash: Hash,
  removed: Type.Optional(Type.Boolean()),
});
export type RpcLog = Static<typeof RpcLog>;

/** Response of eth_getLogs. */
export const RpcLogs = Type.Array(RpcLog);

/** Response of eth_getTransactionReceipt. */
export const RpcReceipt = Type.Object({
  transactionHash: Hash,
  blockHash: Hash,
  blockNumber: Quantity,
  status: Type.Enum(["0x0", "0x1"]),
  from: Address,
  gasUsed: Quantity,
  effectiveGasPrice: Quantity,
  /** The data fee that chains of the OP stack add. */
  l1Fee: Type.Optional(nullable(Quantity)),
  logs: Type.Array(RpcLog),
});
export type RpcReceipt = Static<typeof RpcReceipt>;
export const MaybeReceipt = nullable(RpcReceipt);

/** Response of eth_getBlockByNumber, without its transactions. */
export const RpcHeader = Type.Object({
  hash: Hash,
  number: Quantity,
  timestamp: Quantity,
  baseFeePerGas: Type.Optional(Quantity),
});
export const MaybeHeader = nullable(RpcHeader);
