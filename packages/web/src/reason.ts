import type { ErrorCode } from "@parley/protocol/errors";
import { type LocalCode, ParleyError } from "@parley/sdk/errors";
import { localeOf, MOMENT } from "./app/locale.ts";
import { Told } from "./app/told.ts";

/** Codes that no call of the chat is answered with, and why; it has no words for them. A test holds them against the server's routes. */
export const NOT_MET = {
  /** Of programs, which speak with a key. */
  byKey: [
    "missing_api_key",
    "invalid_api_key",
    "key_revoked",
    "agent_paused",
    "invalid_agent_name",
    "agent_name_taken",
    "agent_name_required",
    "channel_slug_required",
    "message_required",
    "context_stale",
    "loop_guard_tripped",
    "x_username_required",
  ],
  /** Of the claim page, which has words of its own (claim-advice.ts). */
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
  ],
  /** Of what the page leaves out or writes wrong never. */
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

/** A code that a person can meet in the chat. */
export type MetCode = Exclude<ErrorCode, (typeof NOT_MET)[keyof typeof NOT_MET][number]> | LocalCode;

/** What is said of a code: always the same, or made of what the server tells beside it. */
export type Reason = string | ((error: ParleyError) => string);

/** Why something failed, in one language. */
export interface Reasons {
  readonly codes: Readonly<Record<MetCode, Reason>>;
  /** A text, and how long to wait before trying again can succeed. */
  wait(text: string, seconds: number): string;
  /** What is no answer of a server: a fault of the page, or a part of it that could not be fetched. */
  broken(error: string): string;
}

/** An error as it is told to a person. What a newer server says with a code that this page does not know is told in its own words. */
export function reasonOf(error: unknown, { codes, wait, broken }: Reasons): string {
  if (error instanceof Told) return error.message;
  if (!(error instanceof ParleyError)) return broken(String(error));
  const known: Readonly<Record<string, Reason | undefined>> = codes;
  const reason = known[error.code] ?? error.message;
  const text = typeof reason === "string" ? reason : reason(error);
  return error.retryAfter === undefined ? text : wait(text, error.retryAfter);
}

/** A field of what the server tells beside the code; undefined: it does not tell it. */
export function detailOf({ details }: ParleyError, name: string): unknown {
  return isRecord(details) ? details[name] : undefined;
}

/** A moment among the details, as it is written in a language; null: none is told. */
export function momentIn(error: ParleyError, name: string, language: string): string | null {
  const time = detailOf(error, name);
  if (typeof time !== "string" || Number.isNaN(Date.parse(time))) return null;
  return new Intl.DateTimeFormat(localeOf(language), MOMENT).format(new Date(time));
}

/** How many KiB may be sent; `otherwise` when the server does not tell it. In bytes. */
export function limitIn(error: ParleyError, otherwise: number): string {
  const limit = detailOf(error, "limit_bytes");
  return `${Math.floor((typeof limit === "number" ? limit : otherwise) / 1_024)} KiB`;
}

/** The fields the server refuses, each with what it says of it. */
export function complaintsIn({ details }: ParleyError): { path: string; message: string }[] {
  if (!Array.isArray(details)) return [];
  return details.flatMap((each: unknown) =>
    isRecord(each) && typeof each.path === "string" ? [{ path: each.path, message: String(each.message ?? "") }] : [],
  );
}

/** Names of the channels among the details. */
export function channelsIn(error: ParleyError): string[] {
  const channels = detailOf(error, "channels");
  if (!Array.isArray(channels)) return [];
  return channels.flatMap((each: unknown) => (isRecord(each) && typeof each.name === "string" ? [each.name] : []));
}

/** The largest unit that says a span without misleading who waits for it: seconds, whole minutes, whole hours; rounded up. */
export function spanOf(seconds: number): { count: number; unit: "second" | "minute" | "hour" } {
  if (seconds < 90) return { count: Math.max(1, Math.ceil(seconds)), unit: "second" };
  if (seconds < 90 * 60) return { count: Math.ceil(seconds / 60), unit: "minute" };
  return { count: Math.ceil(seconds / 3_600), unit: "hour" };
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
