import { CODE_SECONDS } from "@parley/protocol/limits";
import { isoTime } from "../base/iso-time.ts";
import { type AppContext, perServer } from "../context.ts";
import { fail } from "../errors.ts";
import { trustedProxies } from "../http/connections/address.ts";
import { hashToken, networkOf } from "./claim-binding.ts";
import { makeCodes, writeCode } from "./code-format.ts";
import { noteEmpty, noteTaken } from "./code-pool.ts";
import { countWaiting, takeCode } from "./codes.store.ts";
import { type CodePurpose, FOR_CLAIM, postSentence } from "./post-sentence.ts";

/**
 * Lost races for the last few codes before the pool counts as empty. Each lost race means that another caller got a
 * code.
 */
const ROUNDS = 50;

/** A code that was given out. Only the hash of its token is stored. */
export interface GivenCode {
  verification_code: string;
  expires_at: string;
  expires_in: number;
  post_template: string;
  claim_token: string;
}

const proxies = perServer((ctx) => trustedProxies(ctx.config));

/**
 * Gives out an unused code, bound to its purpose, to a fresh token and to the caller's network (protocol §5). The
 * address of a proxy that reports no client is not a network: everyone behind the proxy would share it.
 * @throws code_pool_empty
 */
export async function giveCode(ctx: AppContext, address: string, use: CodePurpose = FOR_CLAIM): Promise<GivenCode> {
  const token = Buffer.from(ctx.clock.random(32)).toString("base64url");
  const now = ctx.clock.now();
  const expiresAt = now + CODE_SECONDS * 1000;
  const issue = {
    issued_at: now,
    expires_at: expiresAt,
    token_hash: hashToken(token),
    network: proxies(ctx)(address) ? null : networkOf(address),
    ...use,
  };
  const code = await drawCode(ctx, issue);
  noteTaken(ctx);
  return {
    verification_code: writeCode(code),
    expires_at: isoTime(expiresAt),
    expires_in: CODE_SECONDS,
    post_template: postSentence(ctx.config, code, use),
    claim_token: token,
  };
}

/** Draws from the pool at a random position, so that callers on several connections seldom race for the same code. */
async function drawCode(ctx: AppContext, issue: Parameters<typeof takeCode>[2]): Promise<string> {
  for (let round = 0; round < ROUNDS; round++) {
    const [somewhere = ""] = makeCodes(ctx.clock, 1);
    const code = (await takeCode(ctx.db, somewhere, issue)) ?? (await takeCode(ctx.db, "", issue));
    if (code !== null) return code;
    if ((await countWaiting(ctx.db)) === 0) break;
  }
  noteEmpty(ctx);
  throw fail("code_pool_empty", { retryAfter: 5 });
}
