import type { Generated } from "kysely";
import type { Millis } from "./tables.ts";

/** Texts that users were given to sign with a wallet, until a day after their end. */
export interface WalletChallengesTable {
  id: Generated<number>;
  user_id: number;
  chain: "evm" | "solana";
  /** As the profile would hold it. */
  address: string;
  /** The very text: a signature of it, and of nothing else, is the proof. */
  message: string;
  expires_at: Millis;
  used_at: Millis | null;
}
