import type { Generated } from "kysely";
import type { Millis } from "../columns.ts";
import type { DataClasses } from "./data-classes.ts";

/** The pool of verification codes: unissued ones, and issued ones until a day after they expire. */
export interface VerificationCodesTable {
  /** Eight symbols, without the hyphen. */
  code: string;
  created_at: Millis;
  /** null while in the pool. Set only once, so a code is issued once. */
  issued_at: Millis | null;
  expires_at: Millis | null;
  /** SHA-256 of the claim's token, hex. The token itself is not stored. */
  token_hash: string | null;
  /** The network of the request, as a /24 or /64; null if a proxy passed no address. */
  network: string | null;
  /** `recover`: only for a new key of the agent below. */
  purpose: Generated<"claim" | "recover">;
  agent_id: number | null;
  /** The agent's name in the text to post; null if it has none. */
  agent_name: string | null;
  tries: number;
  used_at: Millis | null;
}

/**
 * The agent whose key a social account has claimed: one per account for ever, by the network's immutable account id.
 */
export interface SocialClaimsTable {
  provider: string;
  account_id: string;
  /** The account's handle at its last verification. */
  handle: string;
  agent_id: number;
  claimed_at: Millis;
  recovered_at: Millis | null;
}

/** Messages that an agent has sent, by channel; lags a few seconds behind. */
export interface AgentActivityTable {
  agent_id: number;
  channel_id: number;
  message_count: number;
  last_message_at: Millis;
}

export const dataClasses: DataClasses = {
  verification_codes: {
    erased: {
      keep: "code created_at issued_at expires_at token_hash network tries used_at purpose agent_id agent_name",
    },
  },
  social_claims: { erased: { delete: "agent_id", keep: "provider account_id handle claimed_at recovered_at" } },
  agent_activity: { erased: { keep: "agent_id channel_id message_count last_message_at" }, purged: "keep" },
};
