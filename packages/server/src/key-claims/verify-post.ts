import { CODE_TRIES } from "@parley/protocol/limits";
import type { AppContext } from "../context.ts";
import { AppError, fail } from "../errors.ts";
import type { SocialPost } from "../lookups/lookup.ts";
import { lookupPost } from "../lookups/post-lookup.ts";
import { type PostRef, readPostUrl } from "../lookups/post-url.ts";
import { isHolder } from "./claim-binding.ts";
import type { Account } from "./claims.store.ts";
import { holdsCode, readCode } from "./code-format.ts";
import * as store from "./codes.store.ts";
import { type CodePurpose, holdsSentence, postSentence } from "./post-sentence.ts";

/** A caller's proof that an account is theirs. */
export interface Attempt {
  url: string;
  code: string;
  /** Claim tokens from the body and the cookie; one of them must be the code's. */
  tokens: readonly string[];
  address: string;
}

/** Asks a network for a post, for a caller at an address; tests supply their own. */
export type FindPost = (ctx: AppContext, ref: PostRef, from: string) => Promise<SocialPost>;

/** Networks report times to the second, and their clocks differ from ours. */
const SKEW_MS = 5_000;

/** Proof that the account is the caller's: it posted the code that was given to them. */
export interface Proof {
  /** Not used up yet: `useCode` does that, in the transaction that grants what the code is for. */
  code: string;
  /** The agent that a recovery code names. */
  agentId: number | null;
  account: Account;
}

/**
 * Checks that the code was given to the caller for this purpose and that the post contains it (protocol §5). Uses up
 * only one of the code's tries, and refunds it if the failure is not the caller's. Makes network requests, so never
 * call it inside a transaction.
 * @throws invalid_tweet_url, invalid_verification_code, code_not_yours, code_not_for_this, verification_code_not_found,
 * verification_code_used, verification_code_expired, too_many_tries, those of `checkPost`, and the errors of
 * `lookupPost`
 */
export async function prove(
  ctx: AppContext,
  attempt: Attempt,
  purpose: CodePurpose["purpose"],
  find: FindPost = lookupPost,
): Promise<Proof> {
  const ref = readPostUrl(ctx.config, attempt.url);
  if (ref === null) throw fail("invalid_tweet_url");
  const code = readCode(attempt.code);
  if (code === null) throw fail("invalid_verification_code");
  const issued = await store.findIssued(ctx.db, code);
  if (issued === null) throw fail("verification_code_not_found");
  // Checked before anything is revealed about the code or counted: a stranger who reads the post must not learn about
  // it or use up its tries.
  if (!isHolder(issued, attempt, ctx.config.claimStrict)) throw fail("code_not_yours");
  if (issued.purpose !== purpose) throw fail("code_not_for_this");
  if (!(await store.takeTry(ctx.db, code, CODE_TRIES, ctx.clock.now()))) throw await whyNot(ctx, code);
  const post = await withTry(ctx, code, () => find(ctx, ref, attempt.address));
  checkPost(ctx, post, issued);
  const account = { provider: post.provider, account_id: post.accountId, handle: post.handle };
  return { code, agentId: issued.agent_id, account };
}

/**
 * Checks that the post is original and recent and contains what it must. The code alone is enough for a claim outside
 * strict mode. A recovery takes an agent from the holder of its key, so it always needs the whole sentence.
 * @throws post_is_repost, post_is_reply, post_too_old, code_not_in_post, phrase_not_in_post
 */
function checkPost(ctx: AppContext, post: SocialPost, issued: store.IssuedCodeRow): void {
  if (post.kind === "repost") throw fail("post_is_repost");
  if (post.kind !== "original") throw fail("post_is_reply");
  if (post.createdAt < issued.issued_at - SKEW_MS) throw fail("post_too_old");
  if (!holdsCode(post.text, issued.code)) throw fail("code_not_in_post");
  if (issued.purpose === "claim" && !ctx.config.claimStrict) return;
  const sentence = postSentence(ctx.config, issued.code, issued);
  if (!holdsSentence(post.text, sentence)) throw fail("phrase_not_in_post", { details: { post_template: sentence } });
}

/** Runs the act a try was taken for. Refunds the try if the network or the database fails. */
export async function withTry<T>(ctx: AppContext, code: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) {
      await store
        .giveBackTry(ctx.db, code)
        .catch((err: unknown) => ctx.log.warn({ err }, "restoring a try of a verification code failed"));
    }
    throw error;
  }
}

/**
 * Uses the code up, in the transaction that grants what it is for. Of concurrent callers, one succeeds.
 * @throws verification_code_not_found, verification_code_used, verification_code_expired
 */
export async function useCode(ctx: AppContext, code: string): Promise<void> {
  if (!(await store.consumeCode(ctx.db, code, ctx.clock.now()))) throw await whyNot(ctx, code);
}

async function whyNot(ctx: AppContext, code: string): Promise<AppError> {
  const row = await store.findIssued(ctx.db, code);
  if (row === null) return fail("verification_code_not_found");
  if (row.used_at !== null) return fail("verification_code_used");
  const left = row.expires_at - ctx.clock.now();
  if (left <= 0) return fail("verification_code_expired");
  return fail("too_many_tries", { retryAfter: left / 1000 });
}
