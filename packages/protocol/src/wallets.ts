import { type Static, Type } from "typebox";
import { OwnUser } from "./models.ts";
import { HumanText, Id, response, Timestamp } from "./values.ts";

/** POST /api/user/:username/wallets/challenge */
export const WalletChallengeBody = Type.Object({
  chain: Type.Enum(["evm", "solana"]),
  address: Type.String({ maxLength: 64 }),
});
export type WalletChallengeBody = Static<typeof WalletChallengeBody>;

/** Response of POST …/wallets/challenge */
export const WalletChallengeResponse = response({
  challenge_id: Id,
  message_to_sign: Type.String({
    description: "Sign exactly this text with the wallet: EIP-191 `personal_sign` on EVM, `signMessage` on Solana.",
  }),
  expires_at: Timestamp,
  deduplicated: Type.Optional(Type.Boolean()),
});
export type WalletChallengeResponse = Static<typeof WalletChallengeResponse>;

/** POST /api/user/:username/wallets/proof */
export const WalletProofBody = Type.Object({
  challenge_id: Id,
  signature: Type.String({
    maxLength: 256,
    description: "EVM: 65 bytes in hex with 0x. Solana: 64 bytes in base58.",
  }),
  current_password: Type.Optional(
    Type.String({
      description: "Required when the session is older than 10 minutes, because this sets a payout address.",
    }),
  ),
});
export type WalletProofBody = Static<typeof WalletProofBody>;

/** Response of POST …/wallets/proof: the user's full view of themselves. */
export const WalletProofResponse = response({ message: HumanText, user: OwnUser });
export type WalletProofResponse = Static<typeof WalletProofResponse>;
