import * as wire from "@parley/protocol/imports";
import { claimWithPassword } from "../../accounts/claimable/claim-account.ts";
import { flowCookie } from "../../accounts/oidc/flow-cookie.ts";
import { giveCookie, giveLogin, originOf } from "../../accounts/sessions/start-login.ts";
import { ownOrigin } from "../../http/origin.ts";
import { type Route, route } from "../../http/route.ts";
import { accountOfLink, beginClaim } from "./account-claim.service.ts";

const shared = {
  method: "POST",
  tag: "Accounts",
  auth: "open",
  documentedActs: "use claim link",
  invalid: { token: ["invalid_request", "claim_link_expired"] },
} as const;

/** Routes with which people claim the accounts that an import made for them (protocol §14.5). */
export const accountClaimRoutes: readonly Route[] = [
  route({
    ...shared,
    name: "readAccountClaim",
    path: "/api/auth/account-claim",
    summary: "See which account a link claims, without using it",
    rates: [{ policy: "claimLink", by: "address" }],
    body: wire.AccountClaimBody,
    answers: { 200: wire.AccountClaimResponse },
    errors: ["claim_link_expired", "account_suspended"],
    handle: ({ ctx, body, headers }) => {
      headers.set("cache-control", "no-store");
      return accountOfLink(ctx, body.token);
    },
  }),
  route({
    ...shared,
    name: "claimAccount",
    path: "/api/auth/account-claim/password",
    summary: "Claim an account that an import made, with a new password, and log in",
    rates: [{ policy: "claimLink", by: "address" }],
    body: wire.ClaimAccountBody,
    invalid: { ...shared.invalid, password: "weak_password" },
    answers: { 200: wire.ClaimAccountResponse },
    errors: ["claim_link_expired", "account_suspended", "password_login_off", "weak_password", "overloaded"],
    async handle(call) {
      const login = await claimWithPassword(call.ctx, call.body, originOf(call));
      giveLogin(call, login);
      return { message: `Welcome, ${login.user.username}.`, user: login.user };
    },
  }),
  route({
    ...shared,
    name: "claimAccountBySignOn",
    path: "/api/auth/account-claim/sign-on",
    summary: "Begin a login by the provider that claims an account that an import made",
    rates: [{ policy: "oidcStart", by: "address" }],
    body: wire.AccountClaimBody,
    answers: { 200: wire.ClaimBySignOnResponse },
    errors: ["claim_link_expired", "account_suspended", "oidc_disabled", "oidc_failed"],
    async handle(call) {
      const { ctx, body, request } = call;
      const begun = await beginClaim(ctx, body.token, ownOrigin(ctx.config, request));
      giveCookie(call, flowCookie(ctx.config, begun.flow));
      return { authorization_url: begun.url };
    },
  }),
];
