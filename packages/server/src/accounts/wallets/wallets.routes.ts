import { UserParams } from "@parley/protocol/accounts";
import * as wire from "@parley/protocol/wallets";
import { ownOrigin } from "../../http/origin.ts";
import { type Route, route } from "../../http/route.ts";
import { challengeWallet, proveWallet } from "./wallets.service.ts";

const tag = "Accounts";
const params = UserParams;

/**
 * Routes that prove wallet addresses. An on-chain payment is bound to the user who has proven the payer's address
 * (protocol §6, §7).
 */
export const walletRoutes: readonly Route[] = [
  route({
    name: "challengeWallet",
    method: "POST",
    path: "/api/user/:username/wallets/challenge",
    summary: "Get a text to sign with a wallet, to prove that it is yours",
    tag,
    auth: "session",
    documentedActs: "prove wallet",
    rates: [{ policy: "walletProof", by: "identity" }],
    params,
    body: wire.WalletChallengeBody,
    status: 201,
    idempotent: true,
    answers: { 200: wire.WalletChallengeResponse, 201: wire.WalletChallengeResponse },
    errors: ["invalid_evm_address", "invalid_sol_address", "forbidden", "user_not_found"],
    handle({ ctx, caller, params, body, request }) {
      return challengeWallet(ctx, caller, params.username, { ...body, origin: ownOrigin(ctx.config, request) });
    },
  }),
  route({
    name: "proveWallet",
    method: "POST",
    path: "/api/user/:username/wallets/proof",
    summary: "Prove that a wallet is yours, and store its address in your profile",
    tag,
    auth: "session",
    documentedActs: "prove wallet",
    rates: [{ policy: "walletProof", by: "identity" }],
    params,
    body: wire.WalletProofBody,
    invalid: { signature: "invalid_signature" },
    answers: { 200: wire.WalletProofResponse },
    errors: [
      "invalid_signature",
      "forbidden",
      "reauth_required",
      "user_not_found",
      "challenge_not_found",
      "challenge_used",
      "challenge_expired",
      "wrong_signature",
      "overloaded",
    ],
    async handle({ ctx, caller, params, body }) {
      return { message: "The wallet is proven.", user: await proveWallet(ctx, caller, params.username, body) };
    },
  }),
];
