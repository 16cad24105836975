import { LoginResponse, MessageResponse, UserParams } from "@parley/protocol/accounts";
import * as wire from "@parley/protocol/factors";
import { type Route, route } from "../../http/route.ts";
import { relyingParty } from "../passkeys/relying-party.ts";
import { giveLogin, originOf } from "../sessions/start-login.ts";
import * as app from "./authenticator-app.ts";
import { answerChallenge } from "./login-challenges.ts";
import { removeFactors } from "./remove-factors.ts";

const tag = "Accounts";

/** Forbids caching of the response, which holds secrets. */
const secret = (call: { headers: Headers }): void => call.headers.set("cache-control", "no-store");

/** Routes of second factors (protocol §13.9). */
export const factorRoutes: readonly Route[] = [
  route({
    name: "answerSecondFactor",
    method: "POST",
    path: "/api/auth/second-factor",
    summary: "Complete a login with the code of a second factor",
    tag,
    auth: "open",
    documentedActs: "answer challenge",
    rates: [{ policy: "secondFactor", by: "address" }],
    body: wire.SecondFactorBody,
    invalid: wire.SECOND_FACTOR_INVALID,
    answers: { 200: LoginResponse },
    errors: ["challenge_expired", "wrong_code", "account_suspended"],
    async handle(call) {
      const login = await answerChallenge(call.ctx, call.body, originOf(call));
      giveLogin(call, login);
      return { message: `Welcome back, ${login.user.username}.`, user: login.user };
    },
  }),
  route({
    name: "getSecondFactors",
    method: "GET",
    path: "/api/auth/second-factor",
    summary: "Read which second factors the caller has",
    tag,
    auth: "session",
    beforeSecondFactor: true,
    documentedActs: "own second factors",
    answers: { 200: wire.SecondFactorStateResponse },
    errors: [],
    async handle({ ctx, caller, request }) {
      return { second_factor: await app.readFactors(ctx, caller, relyingParty(ctx.config, request) !== null) };
    },
  }),
  route({
    name: "beginAuthenticatorApp",
    method: "POST",
    path: "/api/auth/totp",
    summary: "Begin to set up an authenticator app",
    tag,
    auth: "session",
    beforeSecondFactor: true,
    documentedActs: "own second factors",
    body: wire.ConfirmBody,
    bodyOptional: true,
    answers: { 200: wire.TotpResponse },
    errors: ["totp_enabled", "reauth_required", "overloaded"],
    handle(call) {
      secret(call);
      return app.beginApp(call.ctx, call.caller, call.body);
    },
  }),
  route({
    name: "confirmAuthenticatorApp",
    method: "POST",
    path: "/api/auth/totp/confirm",
    summary: "Turn the authenticator app on with its first code, and get recovery codes",
    tag,
    auth: "session",
    beforeSecondFactor: true,
    documentedActs: "own second factors",
    rates: [{ policy: "secondFactor", by: "address" }],
    body: wire.TotpConfirmBody,
    invalid: { code: wire.SECOND_FACTOR_INVALID.code },
    answers: { 200: wire.RecoveryCodesResponse },
    errors: ["totp_enabled", "totp_setup_expired", "wrong_code"],
    async handle(call) {
      const recovery_codes = await app.confirmApp(call.ctx, call.caller, call.body.code);
      secret(call);
      return { message: "Logins with your password now need a code. All other sessions are ended.", recovery_codes };
    },
  }),
  route({
    name: "removeAuthenticatorApp",
    method: "DELETE",
    path: "/api/auth/totp",
    summary: "Remove the authenticator app and its recovery codes",
    tag,
    auth: "session",
    documentedActs: "own second factors",
    body: wire.ConfirmBody,
    bodyOptional: true,
    answers: { 200: MessageResponse },
    errors: ["totp_not_enabled", "reauth_required", "overloaded"],
    async handle({ ctx, caller, body }) {
      await app.removeApp(ctx, caller, body);
      return { message: "The authenticator app is removed." };
    },
  }),
  route({
    name: "renewRecoveryCodes",
    method: "POST",
    path: "/api/auth/recovery-codes",
    summary: "Replace the caller's recovery codes",
    tag,
    auth: "session",
    documentedActs: "own second factors",
    body: wire.ConfirmBody,
    bodyOptional: true,
    answers: { 200: wire.RecoveryCodesResponse },
    errors: ["totp_not_enabled", "reauth_required", "overloaded"],
    async handle(call) {
      const recovery_codes = await app.renewRecoveryCodes(call.ctx, call.caller, call.body);
      secret(call);
      return { message: "The earlier codes no longer work.", recovery_codes };
    },
  }),
  route({
    name: "removeSecondFactors",
    method: "DELETE",
    path: "/api/admin/users/:username/second-factor",
    summary: "Remove all second factors and passkeys of a user who has lost them",
    tag: "Administration",
    auth: "session",
    documentedActs: "remove second factors",
    params: UserParams,
    body: wire.ConfirmBody,
    bodyOptional: true,
    answers: { 200: wire.RemoveFactorsResponse },
    errors: ["forbidden", "user_not_found", "reauth_required", "overloaded"],
    async handle({ ctx, caller, params, body }) {
      const removed = await removeFactors(ctx, caller, params.username, body);
      return { message: "The user can log in without a second factor.", removed };
    },
  }),
];
