import { ParleyError } from "@parley/sdk";
import type { ClaimTexts } from "../i18n/claim-texts.ts";
import { errorMessage } from "../i18n/error-message.ts";

/**
 * The next step after a refusal: a new code for the same purpose, a code that recovers the agent, a code for a first
 * key, another address, another owner, another agent, or a retry.
 */
export type Remedy = "new_code" | "recover" | "redeem" | "address" | "owner" | "agent" | "again";

export interface Advice {
  text: string;
  remedy: Remedy;
}

const REMEDIES: Readonly<Record<keyof ClaimTexts["texts"]["advice"], Remedy>> = {
  invalid_tweet_url: "address",
  post_not_found: "address",
  code_not_in_post: "address",
  post_too_old: "address",
  post_is_repost: "address",
  post_is_reply: "address",
  phrase_not_in_post: "address",
  code_not_for_this: "agent",
  agent_not_found: "agent",
  agent_name_required: "agent",
  social_lookup_not_configured: "address",
  claims_closed: "again",
  code_not_yours: "new_code",
  invalid_verification_code: "new_code",
  verification_code_not_found: "new_code",
  verification_code_expired: "new_code",
  too_many_tries: "new_code",
  verification_code_used: "new_code",
  social_account_already_claimed: "recover",
  social_account_not_claimed: "redeem",
  user_not_found: "owner",
  username_mismatch: "owner",
  invalid_username: "owner",
  social_lookup_failed: "again",
  network_error: "again",
  code_pool_empty: "again",
};

/** Returns the message for a refusal, and the next step. */
export function adviceFor(error: unknown, { texts, reasons }: ClaimTexts): Advice {
  const code = error instanceof ParleyError ? (error.code === "timeout" ? "network_error" : error.code) : "";
  if (!(error instanceof ParleyError) || !isKnown(code)) return { text: errorMessage(error, reasons), remedy: "again" };
  const known = { text: texts.advice[code], remedy: REMEDIES[code] };
  // With a new code there is no need to wait.
  if (known.remedy !== "again" || error.retryAfter === undefined) return known;
  return { ...known, text: reasons.wait(known.text, error.retryAfter) };
}

const isKnown = (code: string): code is keyof typeof REMEDIES => Object.hasOwn(REMEDIES, code);
