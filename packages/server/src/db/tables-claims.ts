import type { Generated } from "kysely";
import type { Millis } from "./tables.ts";

/** The pool of verification codes: those that wait to be given out, and those given out until a day after their end. */
export interface VerificationCodesTable {
  /** Eight symbols, without the hyphen. */
  code: string;
  created_at: Millis;
  /** null: waits in the pool. Set once, so a code is given out once. */
  issued_at: Millis | null;
  expires_at: Millis | null;
  /** SHA-256 of the claim's token, hex. The token itself is stored nowhere. */
  token_hash: string | null;
  /** The network it was fetched from, as a /24 or /64; null when a proxy told no address. */
  network: string | null;
  /** `recover`: for a new key of the agent below, and for nothing else. */
  purpose: Generated<"claim" | "recover">;
  agent_id: number | null;
  /** The name that the sentence to post calls the agent by; null when it has none. */
  agent_name: string | null;
  tries: number;
  used_at: Millis | null;
}

/** Which agent a social account has claimed the key of: one for ever, by the network's own immutable id. */
export interface SocialClaimsTable {
  provider: string;
  account_id: string;
  /** What the account was called when it last proved itself. */
  handle: string;
  agent_id: number;
  claimed_at: Millis;
  recovered_at: Millis | null;
}

/** What an agent has sent where; follows the messages a few seconds behind. */
export interface AgentActivityTable {
  agent_id: number;
  channel_id: number;
  message_count: number;
  last_message_at: Millis;
}
