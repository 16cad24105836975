import * as wire from "@parley/protocol/accounts";
import { PROFILE_BODY_BYTES } from "@parley/protocol/limits";
import type { AppContext } from "../context.ts";
import { type Route, route } from "../http/route.ts";
import * as accounts from "./accounts.service.ts";
import * as profiles from "./profiles.service.ts";
import { clearedSessionCookie, type SessionOrigin, sessionCookie } from "./sessions.ts";

const tag = "Accounts";

/** What the list of sessions will tell about where this one comes from. */
const originOf = (call: { address: string; request: Request }): SessionOrigin => ({
  address: call.address,
  userAgent: call.request.headers.get("user-agent"),
});

/** The cookie is a secret of this caller: no cache may keep the answer it came with. */
function giveCookie(call: { ctx: AppContext; headers: Headers }, cookie: string): void {
  call.headers.append("set-cookie", cookie);
  call.headers.set("cache-control", "no-store");
}

/** Contract, sections 1 and 2. */
export const accountRoutes: readonly Route[] = [
  route({
    method: "POST",
    path: "/api/auth/register",
    summary: "Register a user and log in",
    tag,
    auth: "open",
    rights: "anybody",
    rates: [{ policy: "register", by: "address" }],
    body: wire.RegisterBody,
    readOnly: wire.USER_READ_ONLY,
    invalid: {
      username: "invalid_username",
      password: "weak_password",
      email: "invalid_email",
      invite_code: "invalid_invite_code",
    },
    status: 201,
    answers: { 201: wire.RegisterAnswer },
    errors: [
      "invalid_username",
      "weak_password",
      "invalid_email",
      "invalid_invite_code",
      "field_not_writable",
      "username_taken",
      "email_taken",
      "overloaded",
    ],
    async handle(call) {
      const { token, user } = await accounts.register(call.ctx, { ...call.body, ...originOf(call) });
      giveCookie(call, sessionCookie(call.ctx.config, token));
      return {
        message: `Welcome, ${user.username}.`,
        user: { username: user.username, points: call.ctx.config.initialPoints },
      };
    },
  }),
  route({
    method: "POST",
    path: "/api/auth/login",
    summary: "Log in",
    tag,
    auth: "open",
    rights: "anybody",
    rates: [{ policy: "login", by: "address" }],
    body: wire.LoginBody,
    answers: { 200: wire.LoginAnswer },
    errors: ["invalid_credentials", "account_suspended", "overloaded"],
    async handle(call) {
      const { token, user } = await accounts.login(call.ctx, { ...call.body, ...originOf(call) });
      giveCookie(call, sessionCookie(call.ctx.config, token));
      return { message: `Welcome back, ${user.username}.`, user };
    },
  }),
  route({
    method: "POST",
    path: "/api/auth/logout",
    summary: "Log out",
    tag,
    auth: "session",
    rights: "self",
    answers: { 200: wire.MessageAnswer },
    errors: [],
    async handle(call) {
      await accounts.logout(call.ctx, call.caller);
      giveCookie(call, clearedSessionCookie(call.ctx.config));
      return { message: "Logged out." };
    },
  }),
  route({
    method: "GET",
    path: "/api/auth/sessions",
    summary: "List one's own sessions",
    tag,
    auth: "session",
    rights: "self",
    answers: { 200: wire.SessionsAnswer },
    errors: [],
    async handle({ ctx, caller }) {
      return { sessions: await accounts.ownSessions(ctx, caller) };
    },
  }),
  route({
    method: "DELETE",
    path: "/api/auth/sessions/:session_id",
    summary: "End one of one's own sessions",
    tag,
    auth: "session",
    rights: "self",
    params: wire.SessionParams,
    answers: { 200: wire.MessageAnswer },
    errors: ["session_not_found"],
    async handle(call) {
      const { session_id } = call.params;
      await accounts.endOwnSession(call.ctx, call.caller, session_id);
      if (session_id === call.caller.sessionId) giveCookie(call, clearedSessionCookie(call.ctx.config));
      return { message: "The session is over." };
    },
  }),
  route({
    method: "GET",
    path: "/api/user/:username",
    summary: "Read a user",
    tag,
    auth: "guest",
    rights: "read profiles",
    params: wire.UserParams,
    answers: { 200: wire.UserAnswer },
    errors: ["session_required", "user_not_found"],
    handle: ({ ctx, caller, params }) => profiles.readUser(ctx, caller, params.username),
  }),
  route({
    method: "PUT",
    path: "/api/user/:username",
    summary: "Change a user",
    tag,
    auth: "session",
    rights: "self; admin_level 2 and above",
    params: wire.UserParams,
    body: wire.UpdateUserBody,
    bodyBytes: PROFILE_BODY_BYTES,
    readOnly: wire.USER_READ_ONLY,
    invalid: {
      email: "invalid_email",
      avatar: "invalid_avatar",
      evm_address: "invalid_evm_address",
      sol_address: "invalid_sol_address",
      password: "weak_password",
    },
    answers: { 200: wire.UpdateUserAnswer },
    errors: [
      "no_fields",
      "field_not_writable",
      "weak_password",
      "invalid_email",
      "invalid_avatar",
      "invalid_evm_address",
      "invalid_sol_address",
      "forbidden",
      "reauth_required",
      "user_not_found",
      "email_taken",
      "avatar_too_large",
      "overloaded",
    ],
    async handle({ ctx, caller, params, body }) {
      const user = await profiles.updateUser(ctx, caller, params.username, body);
      return { message: "The profile is changed.", user };
    },
  }),
  route({
    method: "GET",
    path: "/api/user/:username/avatar",
    summary: "The picture of a user",
    tag,
    auth: "guest",
    rights: "read profiles",
    params: wire.UserParams,
    answers: { 200: wire.AvatarBytes, 304: wire.AvatarBytes },
    mediaType: "image/*",
    errors: ["session_required", "user_not_found", "avatar_not_found"],
    async handle({ ctx, caller, params, request }) {
      const known = request.headers.get("if-none-match");
      const { etag, picture } = await profiles.readAvatarBytes(ctx, caller, params.username, (etag) =>
        names(known, etag),
      );
      const headers = {
        etag,
        // Looked at by browsers as a picture only, and asked for again each time, which costs a 304.
        "cache-control": `${ctx.config.guestRead ? "public" : "private"}, no-cache`,
        "content-security-policy": "default-src 'none'; sandbox",
      };
      if (picture === null) return new Response(null, { status: 304, headers });
      return new Response(Buffer.from(picture.bytes), { headers: { ...headers, "content-type": picture.mimeType } });
    },
  }),
  route({
    method: "GET",
    path: "/api/user/:username/honor",
    summary: "What a user has earned",
    tag,
    auth: "guest",
    rights: "read honor",
    params: wire.UserParams,
    answers: { 200: wire.HonorAnswer },
    errors: ["session_required", "user_not_found"],
    handle: ({ ctx, caller, params }) => profiles.readHonor(ctx, caller, params.username),
  }),
];

/** Does an `If-None-Match` header name this tag? Weak ones count (RFC 9110, 13.1.2). */
function names(header: string | null, etag: string): boolean {
  if (header === null) return false;
  return header.split(",").some((item) => item.trim() === "*" || item.trim().replace(/^W\//, "") === etag);
}
