import type { ErrorCode } from "@parley/protocol/errors";
import { type LocalErrorCode, ParleyError } from "@parley/sdk";
import { localeOf, MOMENT } from "./locale.ts";
import { UserFacingError } from "./user-facing-error.ts";

/**
 * Error codes that no chat call returns, grouped by reason; the chat has no texts for them. A test compares them with
 * the server's routes.
 */
export const UNREACHABLE_CODES = {
  /** For programs that authenticate with an API key. */
  byKey: [
    "missing_api_key",
    "invalid_api_key",
    "key_revoked",
    "key_expired",
    "insufficient_scope",
    "channel_not_in_scope",
    "channel_slug_required",
    "message_required",
    "context_stale",
    "loop_guard_tripped",
    "invalid_components",
    "nobody_may_answer",
    "card_limit_reached",
    "offset_mismatch",
    "session_limit_reached",
    "stream_limit_reached",
    "stream_over",
    "inbox_taken",
    "x_username_required",
    "hook_not_found",
    "hook_disabled",
  ],
  /** For the claim page, which has its own texts (claim/error-advice.ts). */
  onClaimPage: [
    "invalid_tweet_url",
    "post_not_found",
    "social_lookup_failed",
    "social_lookup_not_configured",
    "invalid_verification_code",
    "username_mismatch",
    "code_not_yours",
    "verification_code_not_found",
    "social_account_not_claimed",
    "verification_code_used",
    "social_account_already_claimed",
    "verification_code_expired",
    "code_not_in_post",
    "post_too_old",
    "post_is_repost",
    "post_is_reply",
    "phrase_not_in_post",
    "code_not_for_this",
    "too_many_tries",
    "code_pool_empty",
    "claims_closed",
  ],
  /** For cards, whose texts load with them (`i18n/cards`), and for messages of agents, which the page does not edit. */
  onCards: [
    "not_allowed_to_answer",
    "unknown_action",
    "interaction_not_found",
    "interaction_closed",
    "interaction_expired",
    "message_has_interaction",
  ],
  /** For voice notes, whose texts load with them (`i18n/<language>/parts/voice.ts`). */
  onVoiceNotes: ["not_a_voice_note", "voice_note_not_sent", "transcript_not_found", "transcript_taken"],
  /** For malformed requests, which the page never sends. */
  wellFormed: [
    "agent_id_required",
    "channel_id_required",
    "field_not_writable",
    "file_required",
    "idempotency_key_invalid",
    "invalid_channel_slug",
    "invalid_limit",
  ],
} as const satisfies Record<string, readonly ErrorCode[]>;

/** A code that users can encounter in the chat. */
export type PageErrorCode =
  | Exclude<ErrorCode, (typeof UNREACHABLE_CODES)[keyof typeof UNREACHABLE_CODES][number]>
  | LocalErrorCode;

/** The text for a code: constant, or built from the error's details. */
export type ErrorText = string | ((error: ParleyError) => string);

/** Error texts in one language. */
export interface ErrorTexts {
  readonly codes: Readonly<Record<PageErrorCode, ErrorText>>;
  /** Combines a text with the time to wait before a retry can succeed. */
  wait(text: string, seconds: number): string;
  /** Formats an error that is not a server's response: a bug of the page, or code that failed to load. */
  broken(error: string): string;
}

/** Returns the message to show for an error. For a code this page does not know, it is the server's own message. */
export function errorMessage(error: unknown, { codes, wait, broken }: ErrorTexts): string {
  if (error instanceof UserFacingError) return error.message;
  if (!(error instanceof ParleyError)) return broken(String(error));
  const known: Readonly<Record<string, ErrorText | undefined>> = codes;
  const reason = known[error.code] ?? error.message;
  const text = typeof reason === "string" ? reason : reason(error);
  return error.retryAfter === undefined ? text : wait(text, error.retryAfter);
}

/** Returns a field of the error's details; undefined if there is none. */
export function errorDetail({ details }: ParleyError, name: string): unknown {
  return isRecord(details) ? details[name] : undefined;
}

/** Formats a timestamp from the details in a language; null if there is none. */
export function formatDetailTime(error: ParleyError, name: string, language: string): string | null {
  const time = errorDetail(error, name);
  if (typeof time !== "string" || Number.isNaN(Date.parse(time))) return null;
  return new Intl.DateTimeFormat(localeOf(language), MOMENT).format(new Date(time));
}

/** Returns the size limit in KiB; `otherwise` (bytes) is used if the server gives none. */
export function formatLimit(error: ParleyError, otherwise: number): string {
  const limit = errorDetail(error, "limit_bytes");
  return `${Math.floor((typeof limit === "number" ? limit : otherwise) / 1_024)} KiB`;
}

/** Returns the fields the server rejected, each with its message. */
export function fieldErrors({ details }: ParleyError): { path: string; message: string }[] {
  if (!Array.isArray(details)) return [];
  return details.flatMap((each: unknown) =>
    isRecord(each) && typeof each.path === "string" ? [{ path: each.path, message: String(each.message ?? "") }] : [],
  );
}

/** Returns the names of the channels in the details. */
export function channelNames(error: ParleyError): string[] {
  const channels = errorDetail(error, "channels");
  if (!Array.isArray(channels)) return [];
  return channels.flatMap((each: unknown) => (isRecord(each) && typeof each.name === "string" ? [each.name] : []));
}

/** Converts a wait to seconds, whole minutes or whole hours, rounded up; uses the largest unit that is not misleading. */
export function durationOf(seconds: number): { count: number; unit: "second" | "minute" | "hour" } {
  if (seconds < 90) return { count: Math.max(1, Math.ceil(seconds)), unit: "second" };
  if (seconds < 90 * 60) return { count: Math.ceil(seconds / 60), unit: "minute" };
  return { count: Math.ceil(seconds / 3_600), unit: "hour" };
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
