import type { Generated } from "kysely";
import type { Millis } from "../columns.ts";

/** Texts that users were given to sign with a wallet, kept until a day after they expire. */
export interface WalletChallengesTable {
  id: Generated<number>;
  user_id: number;
  chain: "evm" | "solana";
  /** Spelled as in the profile. */
  address: string;
  /** The exact text: only a signature of it is a proof. */
  message: string;
  expires_at: Millis;
  used_at: Millis | null;
}
