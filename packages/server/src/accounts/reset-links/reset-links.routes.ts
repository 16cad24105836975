import { ResetPasswordBody, ResetPasswordResponse, UserParams } from "@parley/protocol/accounts";
import { ResetLinkBody, ResetLinkResponse } from "@parley/protocol/administration";
import { ForgotPasswordBody, ForgotPasswordResponse } from "@parley/protocol/mail";
import { repetition } from "@parley/protocol/values";
import { isoTime } from "../../base/iso-time.ts";
import { ownOrigin } from "../../http/origin.ts";
import { type Route, route } from "../../http/route.ts";
import { forgotPassword } from "./mailed-link.ts";
import { confirmResetLink, makeResetLink, resetPassword } from "./reset-links.ts";

/** Routes of protocol §13.0: links to choose a new password. */
export const resetLinkRoutes: readonly Route[] = [
  route({
    name: "makeResetLink",
    method: "POST",
    path: "/api/admin/users/:username/reset-link",
    summary: "Make a link with which a user chooses a new password, once and within 24 hours",
    tag: "Administration",
    auth: "session",
    documentedActs: "make reset link",
    rates: [{ policy: "resetLink", by: "identity" }],
    params: UserParams,
    body: ResetLinkBody,
    status: 201,
    answers: { 201: ResetLinkResponse, 200: repetition(ResetLinkResponse, "url") },
    errors: ["forbidden", "user_not_found", "password_login_off", "reauth_required", "overloaded"],
    idempotent: true,
    secrets: ["url", "current_password"],
    confirm: ({ ctx, caller, params, body }) => confirmResetLink(ctx, caller, params.username, body),
    async handle({ ctx, caller, params, body, request }) {
      const input = { origin: ownOrigin(ctx.config, request), isConfirmed: body.current_password !== undefined };
      const { url, expiresAt } = await makeResetLink(ctx, caller, params.username, input);
      return { url, expires_at: isoTime(expiresAt) };
    },
  }),
  route({
    name: "forgotPassword",
    method: "POST",
    path: "/api/auth/forgot",
    summary:
      "Ask for a mail with a link to choose a new password. The answer is the same for every account and address",
    tag: "Accounts",
    auth: "open",
    documentedActs: "ask for new password",
    rates: [{ policy: "forgot", by: "address" }],
    body: ForgotPasswordBody,
    answers: { 200: ForgotPasswordResponse },
    errors: ["mail_off", "password_login_off", "rate_limited"],
    async handle({ ctx, body }) {
      await forgotPassword(ctx, body.account);
      return { message: "If this account has confirmed its address, a mail is on its way." };
    },
  }),
  route({
    name: "resetPassword",
    method: "POST",
    path: "/api/auth/reset",
    summary: "Choose a new password with a reset link, which ends all sessions of the user",
    tag: "Accounts",
    auth: "open",
    documentedActs: "use reset link",
    rates: [{ policy: "reset", by: "address" }],
    body: ResetPasswordBody,
    invalid: { token: ["invalid_request", "reset_link_expired"], password: "weak_password" },
    answers: { 200: ResetPasswordResponse },
    errors: ["reset_link_expired", "weak_password", "overloaded"],
    async handle({ ctx, body }) {
      const username = await resetPassword(ctx, body);
      return { message: "The password is changed. Log in with it.", username };
    },
  }),
];
