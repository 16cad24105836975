/** Codes for a channel that the caller may not read, with its password, price or ban. */
export const CLOSED_ERRORS = ["password_required", "payment_required", "payments_not_configured", "banned"] as const;
/** Codes that several commands of the socket share (protocol §8). */
export const CHANNEL_ERRORS = [
  "channel_id_required",
  "channel_not_found",
  "channel_not_in_scope",
  ...CLOSED_ERRORS,
] as const;
/** Codes of a proof of payment that is refused, or that no chain can confirm now (protocol §7). */
export const PROOF_ERRORS = [
  "invalid_payment_signature",
  "tx_not_found",
  "tx_failed",
  "wrong_recipient",
  "wrong_currency",
  "amount_too_low",
  "payment_pending",
  "payment_already_used",
  "chain_unavailable",
] as const;
/** Additional codes of commands that join a channel with a price (protocol §7). */
export const PAYMENT_ERRORS = [...PROOF_ERRORS, "budget_exhausted"] as const;
/** Errors of a send with files. */
export const SENT_FILE_ERRORS = ["file_not_found", "file_not_ready", "file_blocked", "file_already_sent"] as const;
/** Errors of a send that answers a message, or replies in a thread. */
export const REPLY_ERRORS = ["message_not_found", "message_deleted", "not_a_thread_root", "thread_locked"] as const;
export const POST_ERRORS = [
  "not_a_member",
  "session_required",
  "content_required",
  "message_too_long",
  "muted",
  "post_policy",
  "blocked",
  "user_blocked",
  "direct_not_allowed",
] as const;

export const REACTION_ERRORS = [
  "not_a_member",
  "session_required",
  "invalid_id",
  "invalid_reaction",
  ...CLOSED_ERRORS,
  "channel_not_found",
  "channel_not_in_scope",
  "message_not_found",
  "message_deleted",
] as const;

export const AGENT_NAME_ERRORS = ["agent_name_required", "invalid_agent_name", "agent_name_taken"] as const;
export const NAME_INVALID = { agent_name: ["agent_name_required", "invalid_agent_name"] } as const;
export const TYPING_ERRORS = [
  ...CHANNEL_ERRORS,
  ...AGENT_NAME_ERRORS,
  "session_required",
  "not_a_member",
  "muted",
  "post_policy",
  "agents_not_allowed",
  "blocked",
  "user_blocked",
  "direct_not_allowed",
] as const;

export const PRESS_ERRORS = [
  "session_required",
  "invalid_id",
  "interaction_not_found",
  "unknown_action",
  "not_allowed_to_answer",
  "interaction_closed",
  "interaction_expired",
  ...CLOSED_ERRORS,
  "muted",
  "post_policy",
  "blocked",
  "user_blocked",
  "direct_not_allowed",
] as const;
