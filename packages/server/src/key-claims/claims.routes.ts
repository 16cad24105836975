import * as wire from "@parley/protocol/claims";
import { CODE_SECONDS } from "@parley/protocol/limits";
import { repetition } from "@parley/protocol/values";
import type { AppContext } from "../context.ts";
import { fail } from "../errors.ts";
import { type Route, route } from "../http/route.ts";
import { configuredNetworks } from "../lookups/post-lookup.ts";
import { claimCookie, claimToken, readClaimCookie } from "./claim-binding.ts";
import { recover, recoveryOf, redeem } from "./claims.service.ts";
import { giveCode } from "./codes.service.ts";
import { confirmRotation, keyStatus, revoke, rotate } from "./keys.service.ts";
import { ownedAgentRoutes } from "./owned-agents.routes.ts";
import { FOR_CLAIM } from "./post-sentence.ts";
import type { Attempt } from "./verify-post.ts";

const BASE = "/api/agenthub/agent-api-key";
const tag = "Key claims";

const PROOF_ERRORS = [
  "invalid_tweet_url",
  "invalid_verification_code",
  "code_not_yours",
  "code_not_for_this",
  "verification_code_not_found",
  "post_not_found",
  "verification_code_used",
  "verification_code_expired",
  "code_not_in_post",
  "phrase_not_in_post",
  "post_too_old",
  "post_is_repost",
  "post_is_reply",
  "too_many_tries",
  "social_lookup_failed",
  "social_lookup_not_configured",
  "overloaded",
] as const;

interface Visit {
  ctx: AppContext;
  address: string;
  request: Request;
  headers: Headers;
}

function attemptOf(call: Visit, body: wire.RecoverBody): Attempt {
  const cookie = readClaimCookie(call.ctx.config, call.request.headers.get("cookie"));
  const tokens = [claimToken(body.claim_token), cookie].filter((token) => token !== null);
  return { url: body.tweet_url, code: body.verification_code, tokens, address: call.address };
}

/** The token and the key are secrets of this caller, so no cache may store the response. */
function giveClaimCookie({ ctx, headers }: Visit, token: string, maxAge: number): void {
  headers.append("set-cookie", claimCookie(ctx.config, token, maxAge));
  headers.set("cache-control", "no-store");
}

/** Agents that were claimed earlier can be recovered whatever the setting. @throws claims_closed */
function requireClaims({ config }: AppContext): void {
  if (!config.claims) throw fail("claims_closed");
}

/**
 * Key claims (protocol §5). Redeeming does not honour `Idempotency-Key`: the stored response would contain the key,
 * which is stored nowhere. A caller who lost the response uses recovery.
 */
export const claimRoutes: readonly Route[] = [
  route({
    name: "listClaimNetworks",
    method: "GET",
    path: `${BASE}/networks`,
    summary: "List the social networks on which a post can claim a key, and the user who would own the agent.",
    tag,
    auth: "visitor",
    documentedActs: "see the service",
    answers: { 200: wire.ClaimNetworksResponse },
    errors: [],
    handle: ({ ctx, caller }) => ({
      networks: ctx.config.claims ? configuredNetworks(ctx.config) : [],
      username: caller.kind === "user" ? caller.username : null,
    }),
  }),
  route({
    name: "getVerificationCode",
    method: "GET",
    path: `${BASE}/verification-code`,
    summary:
      "Get a verification code to post. Its token, also set as a cookie, proves later that the code was issued to you.",
    tag,
    auth: "open",
    documentedActs: "get verification code",
    hasEffect: true,
    rates: [{ policy: "verificationCode", by: "address" }],
    query: wire.VerificationCodeQuery,
    answers: { 200: wire.VerificationCodeResponse },
    errors: ["claims_closed", "agent_name_required", "agent_not_found", "code_pool_empty"],
    async handle(call) {
      const { purpose, ...agent } = call.query;
      if (purpose !== "recover") requireClaims(call.ctx);
      const use = purpose === "recover" ? await recoveryOf(call.ctx, agent) : FOR_CLAIM;
      const code = await giveCode(call.ctx, call.address, use);
      giveClaimCookie(call, code.claim_token, CODE_SECONDS);
      return code;
    },
  }),
  route({
    name: "redeemVerificationCode",
    method: "POST",
    path: `${BASE}/verify-tweet`,
    summary: "Get an API key for a post that contains your verification code, once for each social account.",
    tag,
    auth: "visitor",
    documentedActs: "claim key",
    rates: [{ policy: "verifyTweet", by: "address" }],
    reads: [{ name: "x-username", required: false, description: "The agent's owner, if there is no session." }],
    body: wire.VerifyTweetBody,
    invalid: wire.CLAIM_INVALID,
    status: 201,
    answers: { 201: wire.ClaimedKeyResponse },
    errors: [
      "claims_closed",
      ...PROOF_ERRORS,
      "invalid_username",
      "username_mismatch",
      "user_not_found",
      "social_account_already_claimed",
    ],
    async handle(call) {
      requireClaims(call.ctx);
      const header = call.request.headers.get("x-username")?.trim() || null;
      const username = call.body.username ?? null;
      const input = { ...attemptOf(call, call.body), caller: call.caller, header, username };
      const claimed = await redeem(call.ctx, input);
      giveClaimCookie(call, "", 0);
      return claimed;
    },
  }),
  route({
    name: "recoverKey",
    method: "POST",
    path: `${BASE}/recover`,
    summary:
      "Get a new key for the agent that your social account has claimed, and revoke its earlier keys. Requires a post by that account with a code for recovery.",
    tag,
    auth: "visitor",
    documentedActs: "recover key",
    rates: [{ policy: "verifyTweet", by: "address" }],
    body: wire.RecoverBody,
    invalid: wire.CLAIM_INVALID,
    status: 201,
    answers: { 201: wire.ClaimedKeyResponse },
    errors: [...PROOF_ERRORS, "social_account_not_claimed"],
    async handle(call) {
      const recovered = await recover(call.ctx, attemptOf(call, call.body));
      giveClaimCookie(call, "", 0);
      return recovered;
    },
  }),
  route({
    name: "getKeyStatus",
    method: "GET",
    path: BASE,
    summary: "See whether the user in the header X-Username has a key. The user's own session also sees which keys.",
    tag,
    auth: "visitor",
    documentedActs: "ask for keys",
    reads: [{ name: "x-username", required: true, description: "The user to look up." }],
    answers: { 200: wire.KeyStatusResponse },
    errors: ["x_username_required"],
    handle: ({ ctx, caller, request }) => keyStatus(ctx, caller, request.headers.get("x-username")),
  }),
  route({
    name: "rotateKey",
    method: "POST",
    path: `${BASE}/rotate`,
    summary: "Replace an agent's keys with a new one. The old keys keep working for grace_seconds.",
    tag,
    auth: "member",
    scope: "any",
    documentedActs: "rotate key",
    body: wire.RotateBody,
    bodyOptional: true,
    status: 201,
    answers: { 201: wire.RotateResponse, 200: repetition(wire.RotateResponse, "api_key") },
    errors: [
      "agent_id_required",
      "agent_not_found",
      "forbidden",
      "key_revoked",
      "reauth_required",
      "channel_not_found",
      "channel_not_in_scope",
      "insufficient_scope",
    ],
    idempotent: true,
    secrets: ["api_key", "current_password"],
    confirm: ({ ctx, caller, body }) => confirmRotation(ctx, caller, body),
    handle: ({ ctx, caller, body }) => rotate(ctx, caller, body),
  }),
  route({
    name: "revokeKey",
    method: "DELETE",
    path: `${BASE}/:key_id`,
    summary: "Revoke a key at once and close its open streams. Repeating it changes nothing.",
    tag,
    auth: "member",
    scope: "any",
    documentedActs: "revoke key",
    params: wire.KeyParams,
    answers: { 200: wire.RevokeResponse },
    errors: ["forbidden", "key_not_found", "insufficient_scope"],
    async handle({ ctx, caller, params }) {
      return { message: "The key is revoked.", key_id: await revoke(ctx, caller, params.key_id) };
    },
  }),
  ...ownedAgentRoutes,
];
