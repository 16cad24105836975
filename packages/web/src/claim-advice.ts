import { ParleyError } from "@parley/sdk/errors";
import { reasonOf } from "./reason.ts";
import { EN_REASONS } from "./texts/en-reasons.ts";

/**
 * What helps after a refusal: a new code, replacing the key, claiming after all, another address, another owner, or the same again.
 */
export type Remedy = "new_code" | "recover" | "redeem" | "address" | "owner" | "again";

export interface Advice {
  text: string;
  remedy: Remedy;
}

const NEW_CODE = "Get a new code and post that.";

const ADVICE: Readonly<Record<string, Advice>> = {
  invalid_tweet_url: {
    text: "This is not the address of a post that can be looked up here. Open your post by itself, and copy what the address bar says.",
    remedy: "address",
  },
  post_not_found: {
    text: "There is no such post, or it is not public. A new post can take a moment to be found: look at its address, and try again.",
    remedy: "address",
  },
  code_not_in_post: {
    text: "This post does not hold the code. Post the text above, and show that post.",
    remedy: "address",
  },
  post_too_old: { text: "This post is older than the code. Write a new one with the text above.", remedy: "address" },
  post_is_repost: {
    text: "This repeats somebody else’s post. Write one of your own with the text above.",
    remedy: "address",
  },
  social_lookup_not_configured: {
    text: "This server does not look up posts of that network. Post the text on one of those named above.",
    remedy: "address",
  },
  code_not_yours: {
    text: `This code was given to somebody else; perhaps another window of yours fetched one since. ${NEW_CODE}`,
    remedy: "new_code",
  },
  invalid_verification_code: { text: `This is no code. ${NEW_CODE}`, remedy: "new_code" },
  verification_code_not_found: { text: `The server does not know this code. ${NEW_CODE}`, remedy: "new_code" },
  verification_code_expired: { text: `This code has expired. ${NEW_CODE}`, remedy: "new_code" },
  too_many_tries: { text: `This code was tried too often. ${NEW_CODE}`, remedy: "new_code" },
  verification_code_used: {
    text: "This code has been used. If its key never reached you, get a new code and post that with the same account: you will be offered a new key.",
    remedy: "new_code",
  },
  social_account_already_claimed: {
    text: "This account has claimed its key before. If that is lost, you can have a new one: the agent stays the same, and all its earlier keys end.",
    remedy: "recover",
  },
  social_account_not_claimed: { text: "No key was claimed with this account yet.", remedy: "redeem" },
  user_not_found: { text: "There is no user of that name here. Correct it, or leave it empty.", remedy: "owner" },
  username_mismatch: {
    text: "You are logged in as somebody else: leave the name empty, and the agent will be yours.",
    remedy: "owner",
  },
  invalid_username: { text: "This cannot be a username. Correct it, or leave it empty.", remedy: "owner" },
  social_lookup_failed: {
    text: "The network did not give us the post. Nothing is used up: try again shortly.",
    remedy: "again",
  },
  network_error: {
    text: "No answer came. Try again; should a key have been made meanwhile, you will learn how to replace it.",
    remedy: "again",
  },
};

/** A refusal as it is told to a person, with what to do. */
export function adviceFor(error: unknown): Advice {
  const known =
    error instanceof ParleyError ? ADVICE[error.code === "timeout" ? "network_error" : error.code] : undefined;
  if (!(error instanceof ParleyError) || known === undefined)
    return { text: reasonOf(error, EN_REASONS), remedy: "again" };
  // Who gets a new code need not wait for the old one.
  if (known.remedy !== "again" || error.retryAfter === undefined) return known;
  return { ...known, text: EN_REASONS.wait(known.text, error.retryAfter) };
}
