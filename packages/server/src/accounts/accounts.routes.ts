import * as wire from "@parley/protocol/accounts";
import { PROFILE_BODY_BYTES } from "@parley/protocol/limits";
import type { AppContext } from "../context.ts";
import { pictureCaching } from "../http/answers/cached.ts";
import { hasTag } from "../http/answers/respond.ts";
import { limitSubject } from "../http/connections/address.ts";
import { lastingKey } from "../http/idempotency.ts";
import { ReadyJson, type Route, route } from "../http/route.ts";
import * as accounts from "./accounts.service.ts";
import { addressRoutes } from "./addresses/addresses.routes.ts";
import { blockRoutes } from "./blocks/blocks.routes.ts";
import { factorRoutes } from "./factors/factors.routes.ts";
import { invitationRoutes } from "./invitations/invitations.routes.ts";
import { oidcRoutes } from "./oidc/oidc.routes.ts";
import { passkeyRoutes } from "./passkeys/passkeys.routes.ts";
import { avatarVersions, isVersion } from "./profiles/avatar-versions.ts";
import * as profiles from "./profiles/profiles.service.ts";
import { findUserRoutes, shownRoutes } from "./profiles/users.routes.ts";
import { registerOnce } from "./register-once.ts";
import { resetLinkRoutes } from "./reset-links/reset-links.routes.ts";
import { securityNoticeRoutes } from "./security-notices/security-notices.routes.ts";
import { authenticateSession, clearedSessionCookie, readSessionCookie } from "./sessions/sessions.ts";
import { giveCookie, giveLogin, originOf } from "./sessions/start-login.ts";

const tag = "Accounts";

/** Returns the user of the request's session on a route that needs none; null without a valid session. */
async function userOfSession(call: { ctx: AppContext; request: Request }): Promise<number | null> {
  const token = readSessionCookie(call.ctx.config, call.request.headers.get("cookie"));
  const identity = token === null ? null : await authenticateSession(call.ctx, token);
  return identity?.userId ?? null;
}

/** Routes of protocol §1 and §2. */
export const accountRoutes: readonly Route[] = [
  ...securityNoticeRoutes,
  ...blockRoutes,
  ...findUserRoutes,
  ...shownRoutes,
  ...resetLinkRoutes,
  ...addressRoutes,
  ...oidcRoutes,
  ...factorRoutes,
  ...passkeyRoutes,
  ...invitationRoutes,
  route({
    name: "register",
    method: "POST",
    path: "/api/auth/register",
    summary: "Register a user and log in",
    tag,
    auth: "open",
    documentedActs: "register",
    rates: [{ policy: "register", by: "address" }],
    body: wire.RegisterBody,
    readOnly: wire.USER_READ_ONLY,
    invalid: {
      username: "invalid_username",
      password: "weak_password",
      email: "invalid_email",
      invite_code: "invalid_invite_code",
    },
    reads: [
      {
        name: "Idempotency-Key",
        required: false,
        description: "For 24 hours the same key and body log in to the same account, with `deduplicated: true`.",
      },
    ],
    status: 201,
    answers: { 201: wire.RegisterResponse, 200: wire.RegisterResponse },
    errors: [
      "idempotency_key_invalid",
      "idempotency_conflict",
      "account_suspended",
      "second_factor_required",
      "invalid_username",
      "weak_password",
      "invalid_email",
      "invalid_invite_code",
      "invite_code_required",
      "registration_closed",
      "password_login_off",
      "field_not_writable",
      "username_taken",
      "invitation_expired",
      "invitation_used_up",
      "invitation_revoked",
      "overloaded",
    ],
    async handle(call) {
      const { ctx, body } = call;
      const input = { ...body, ...originOf(call), registrar: await userOfSession(call) };
      const key = lastingKey(call.request);
      const { isNew, ...login } =
        key === null
          ? { ...(await accounts.register(ctx, input)), isNew: true }
          : await registerOnce(ctx, input, { actorKey: limitSubject(call.address), key });
      giveLogin(call, login);
      const { username } = login.user;
      const answer = {
        message: `Welcome, ${username}.`,
        user: { username, points: ctx.config.initialPoints },
      };
      return isNew ? answer : new ReadyJson(JSON.stringify({ success: true, ...answer, deduplicated: true }), 200);
    },
  }),
  route({
    name: "login",
    method: "POST",
    path: "/api/auth/login",
    summary: "Log in",
    tag,
    auth: "open",
    documentedActs: "log in",
    rates: [{ policy: "login", by: "address" }],
    body: wire.LoginBody,
    answers: { 200: wire.LoginResponse },
    errors: ["invalid_credentials", "account_suspended", "second_factor_required", "password_login_off", "overloaded"],
    async handle(call) {
      const login = await accounts.login(call.ctx, { ...call.body, ...originOf(call) });
      giveLogin(call, login);
      return { message: `Welcome back, ${login.user.username}.`, user: login.user };
    },
  }),
  route({
    name: "logout",
    method: "POST",
    path: "/api/auth/logout",
    summary: "Log out",
    tag,
    auth: "session",
    documentedActs: "own sessions",
    answers: { 200: wire.MessageResponse },
    errors: [],
    beforeSecondFactor: true,
    async handle(call) {
      await accounts.logout(call.ctx, call.caller);
      giveCookie(call, clearedSessionCookie(call.ctx.config));
      return { message: "You are logged out." };
    },
  }),
  route({
    name: "listSessions",
    method: "GET",
    path: "/api/auth/sessions",
    summary: "List the caller's sessions",
    tag,
    auth: "session",
    documentedActs: "own sessions",
    answers: { 200: wire.SessionsResponse },
    errors: [],
    async handle({ ctx, caller }) {
      return { sessions: await accounts.ownSessions(ctx, caller) };
    },
  }),
  route({
    name: "endOtherSessions",
    method: "DELETE",
    path: "/api/auth/sessions",
    summary: "End all of the caller's sessions except this one",
    tag,
    auth: "session",
    documentedActs: "own sessions",
    answers: { 200: wire.MessageResponse },
    errors: [],
    async handle({ ctx, caller }) {
      await accounts.endOtherSessions(ctx, caller);
      return { message: "All other sessions are ended." };
    },
  }),
  route({
    name: "endSession",
    method: "DELETE",
    path: "/api/auth/sessions/:session_id",
    summary: "End one of the caller's sessions",
    tag,
    auth: "session",
    documentedActs: "own sessions",
    params: wire.SessionParams,
    answers: { 200: wire.MessageResponse },
    errors: ["session_not_found"],
    async handle(call) {
      const { session_id } = call.params;
      await accounts.endOwnSession(call.ctx, call.caller, session_id);
      if (session_id === call.caller.sessionId) giveCookie(call, clearedSessionCookie(call.ctx.config));
      return { message: "The session is ended." };
    },
  }),
  route({
    name: "getUser",
    method: "GET",
    path: "/api/user/:username",
    summary: "Read a user",
    tag,
    auth: "guest",
    scope: "read",
    documentedActs: "read profiles",
    params: wire.UserParams,
    answers: { 200: wire.UserResponse },
    errors: ["session_required", "user_not_found", "second_factor_setup_required"],
    beforeSecondFactor: true,
    handle: ({ ctx, caller, params }) => profiles.readUser(ctx, caller, params.username),
  }),
  route({
    name: "updateUser",
    method: "PUT",
    path: "/api/user/:username",
    summary: "Change a user",
    tag,
    auth: "session",
    documentedActs: "update user",
    params: wire.UserParams,
    body: wire.UpdateUserBody,
    bodyBytes: PROFILE_BODY_BYTES,
    readOnly: wire.PROFILE_READ_ONLY,
    invalid: {
      email: "invalid_email",
      avatar: "invalid_avatar",
      display_name: "invalid_display_name",
      status: "invalid_status",
      evm_address: "invalid_evm_address",
      sol_address: "invalid_sol_address",
      password: "weak_password",
    },
    answers: { 200: wire.UpdateUserResponse },
    errors: [
      "no_fields",
      "field_not_writable",
      "weak_password",
      "invalid_email",
      "invalid_avatar",
      "invalid_display_name",
      "invalid_status",
      "invalid_evm_address",
      "invalid_sol_address",
      "forbidden",
      "reauth_required",
      "user_not_found",
      "avatar_too_large",
      "overloaded",
    ],
    async handle({ ctx, caller, params, body }) {
      const user = await profiles.updateUser(ctx, caller, params.username, body);
      return { message: "The profile is updated.", user };
    },
  }),
  route({
    name: "listAvatars",
    method: "GET",
    path: "/api/avatars",
    summary: "See which of these users have an avatar",
    tag,
    auth: "guest",
    scope: "read",
    documentedActs: "read profiles",
    query: wire.AvatarsQuery,
    answers: { 200: wire.AvatarsResponse },
    errors: ["session_required"],
    handle: async ({ ctx, caller, query }) => ({ avatars: await avatarVersions(ctx, caller, query.usernames) }),
  }),
  route({
    name: "getAvatar",
    method: "GET",
    path: "/api/user/:username/avatar",
    summary: "Get a user's avatar",
    tag,
    auth: "guest",
    scope: "read",
    documentedActs: "read profiles",
    params: wire.UserParams,
    query: wire.AvatarQuery,
    answers: { 200: wire.AvatarBytes, 304: wire.AvatarBytes },
    mediaType: "image/*",
    errors: ["session_required", "user_not_found", "avatar_not_found"],
    async handle({ ctx, caller, params, query, request }) {
      const { etag, picture } = await profiles.readAvatarBytes(ctx, caller, params.username, (etag) =>
        hasTag(request, etag),
      );
      const headers = {
        etag,
        // Revalidated on every use (usually a 304) unless the URL names this version of the picture.
        "cache-control": pictureCaching(ctx, isVersion(etag, query.v)),
        // Browsers may only show the response as a picture.
        "content-security-policy": "default-src 'none'; sandbox",
      };
      if (picture === null) return new Response(null, { status: 304, headers });
      return new Response(Buffer.from(picture.bytes), { headers: { ...headers, "content-type": picture.mimeType } });
    },
  }),
];
