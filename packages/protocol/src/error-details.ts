import type { BudgetState } from "./budgets.ts";
import type { Interaction } from "./cards.ts";
import type { ErrorCode } from "./errors.ts";
import type { SecondFactorMethod } from "./factors.ts";
import type { AgentScope } from "./key-grants.ts";
import type { ChatMessage } from "./models.ts";
import type { Price } from "./price.ts";

/** One field at fault: `path` names it (empty: the whole body), `message` says what is wrong with it. */
export interface FieldProblem {
  path: string;
  message: string;
}

/** A name that is refused, and the rule that it breaks. */
export interface NameProblem extends FieldProblem {
  rule:
    | "form"
    | "character_not_allowed"
    | "invisible_character"
    | "mixed_scripts"
    | "mixed_digits"
    | "reserved"
    | "looks_like";
  /** The first character that breaks the rule, such as `U+1160`. */
  character?: string;
  scripts?: string[];
  /** For `looks_like`: the existing name. */
  name?: string;
}

/** The problem with a payment: `reason` quotes a facilitator. */
interface PaymentProblem {
  problem: string;
  reason?: string;
}

/** The `details` of the error codes that have their own (protocol §0). Fields that an error may lack are optional. */
export interface ErrorDetails {
  invalid_webhook_name: NameProblem[] | FieldProblem[] | undefined;
  invalid_username: NameProblem[] | FieldProblem[] | undefined;
  invalid_agent_name: NameProblem[] | FieldProblem[] | undefined;
  invalid_channel_name: NameProblem[] | FieldProblem[] | undefined;
  invalid_display_name: NameProblem[] | FieldProblem[] | undefined;
  invalid_status: FieldProblem[] | undefined;
  username_taken: NameProblem[] | undefined;
  agent_name_taken: NameProblem[] | undefined;
  weak_password: { min_length: number; max_length: number } | { reason: "common" } | FieldProblem[] | undefined;
  setting_locked: { variable: string };
  site_changed: { version: number };
  emoji_not_allowed: { who: "administrators" | "nobody" };
  emoji_limit_reached: { of: "server" | "user"; limit: number };
  /** The events that a hook of this kind can ask for. */
  unknown_event: { events: readonly string[] };
  second_factor_required: { challenge_id: string; methods: SecondFactorMethod[]; expires_at: string };
  /** A password was sent, and it is not the current one. */
  reauth_required: { wrong: true } | undefined;
  wrong_code: { tries_left: number } | undefined;
  body_too_large: { limit_bytes: number };
  file_too_large: { limit_bytes: number };
  quota_reached: { limit_bytes: number; used_bytes: number };
  /** The type that was found, and those that the server accepts. */
  type_not_allowed: { type: string; allowed: readonly string[] | null };
  not_ready: { reason: "starting" | "storage_full" | "storage_unavailable" | "no_heartbeat" } | undefined;
  owns_channels: { channels: { channel_id: number; channel_slug: string; name: string }[] };
  /** `until` is null for a permanent ban. */
  banned: { until: string | null };
  muted: { muted_until: string };
  /** The missed messages, oldest first, the seq of the last one, and the messages as text for a language model. */
  context_stale: { messages: ChatMessage[]; last_seq: number; rendered?: string };
  /** When the guard resets unless a person writes before. The message should be dropped, not sent then. */
  loop_guard_tripped: { resets_at: string };
  /** The scope that the call needs, null if only a key without limits may make it, and those that the key has. */
  insufficient_scope: { required: AgentScope | null; scopes: readonly AgentScope[] };
  budget_exhausted: Omit<BudgetState, "remaining"> & { resets_at: string };
  interaction_closed: { interaction: Interaction };
  /** The characters held so far. */
  offset_mismatch: { length: number };
  stream_over: { state: "finished" | "cancelled"; message_id: number | null };
  points_on_hold: { available: string };
  social_account_already_claimed: { agent_id: number; agent_name: string | null } | undefined;
  phrase_not_in_post: { post_template: string };
  share_too_small: { min_share: string; min_total: string };
  not_eligible: { reason: "not_a_member" | "banned" };
  funding_mismatch: {
    problem: "tx_failed" | "wrong_recipient" | "wrong_currency" | "wrong_amount" | "wrong_sender" | "too_old";
  };
  wallet_address_required:
    | { reason: "no_address" | "not_proven"; address: string | null; challenge: string; proof: string }
    | { reason: "no_token_account"; address: string; currency: string; token_address: string | null };
  payouts_unavailable: { reason: "no_wallet" | "stopped" | "low_gas" | "above_cap" };
  /** For a priced channel: its place and price. For a payment that is not accepted: why. */
  payment_required: { resource: string; price: Price } | PaymentProblem | undefined;
  tx_not_found: PaymentProblem | undefined;
  payment_already_used: PaymentProblem | undefined;
}

/** The type of an error's `details`. Codes without an entry of their own name the fields at fault, if any. */
export type DetailsOf<C extends ErrorCode> = C extends keyof ErrorDetails
  ? ErrorDetails[C]
  : FieldProblem[] | undefined;
