import { type Static, Type } from "typebox";
import { model, Nullable, response } from "./values.ts";

/** A coin or token that this server accepts on a chain. */
export const ChainAsset = model("ChainAsset", "A coin or token that this server accepts on a chain.", {
  currency: Type.String({ description: "The symbol that prices and red packets use." }),
  token_address: Nullable(Type.String({ description: "The token's contract or mint; null for the native coin." })),
  decimals: Type.Integer({ minimum: 0, description: "Decimal places of one unit." }),
});
export type ChainAsset = Static<typeof ChainAsset>;

/** A chain that this server works with. */
export const ChainRecord = model("Chain", "A chain that this server works with.", {
  chain: Type.Enum(["evm", "solana"]),
  chain_id: Type.Integer(),
  assets: Type.Array(ChainAsset, { description: "The native coin first." }),
  packets: Type.Boolean({ description: "True if red packets can be created in these currencies." }),
  payments: Type.Boolean({ description: "True if prices can be set in these currencies." }),
});
export type ChainRecord = Static<typeof ChainRecord>;

/** Response of GET /api/chains: empty unless the settings name some. */
export const ChainsResponse = response({ chains: Type.Array(ChainRecord) });
export type ChainsResponse = Static<typeof ChainsResponse>;
