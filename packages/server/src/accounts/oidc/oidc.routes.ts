import {
  BackchannelLogoutResponse,
  IdentitiesResponse,
  IdentityParams,
  LinkIdentityBody,
  LinkIdentityResponse,
  LOGOUT_FORM_BYTES,
  OidcCallbackQuery,
  OidcStartQuery,
  Redirect,
  UnlinkIdentityBody,
  UnlinkIdentityResponse,
} from "@parley/protocol/identities";
import type { AppContext } from "../../context.ts";
import { fail } from "../../errors.ts";
import { toAppError } from "../../http/answers/respond.ts";
import { checkEncoding, decodeText, readBytes } from "../../http/body/body.ts";
import { ownOrigin } from "../../http/origin.ts";
import { type Route, route } from "../../http/route.ts";
import { giveCookie, giveLogin, originOf } from "../sessions/start-login.ts";
import { backchannelLogout } from "./backchannel-logout.ts";
import { clearedFlowCookie, flowCookie, readFlowCookie } from "./flow-cookie.ts";
import { beginLink, ownIdentities, unlink } from "./identities.ts";
import { beginLogin, CALLBACK, completeLogin, errorPath } from "./login.ts";

const tag = "Accounts";
const LIST = "/api/auth/identities";

const redirect = (location: string): Response => new Response(null, { status: 302, headers: { location } });

/** A browser follows these routes, so people see errors on the page: `/?error=<code>`. */
async function orErrorPage(
  { ctx, requestId, headers }: { ctx: AppContext; requestId: string; headers: Headers },
  lead: () => Promise<string>,
): Promise<Response> {
  headers.set("cache-control", "no-store");
  try {
    return redirect(await lead());
  } catch (error) {
    return redirect(errorPath(toAppError(ctx, error, requestId).code));
  }
}

/** Routes of protocol §13.9: logins by an OpenID Connect provider. */
export const oidcRoutes: readonly Route[] = [
  route({
    name: "startOidcLogin",
    method: "GET",
    path: "/api/auth/oidc/start",
    summary: "Begin a login by the provider. Leads the browser there, or to `/?error=<code>`.",
    tag,
    auth: "open",
    documentedActs: "log in",
    rates: [{ policy: "oidcStart", by: "address" }],
    query: OidcStartQuery,
    answers: { 302: Redirect },
    mediaType: "text/plain",
    errors: [],
    hasEffect: true,
    handle: (call) =>
      orErrorPage(call, async () => {
        const { return_to: returnTo, reauth } = call.query;
        const begun = await beginLogin(call.ctx, ownOrigin(call.ctx.config, call.request), { returnTo, reauth });
        giveCookie(call, flowCookie(call.ctx.config, begun.flow));
        return begun.url;
      }),
  }),
  route({
    name: "completeOidcLogin",
    method: "GET",
    path: CALLBACK,
    summary: "Complete a login by the provider, which leads the browser here",
    tag,
    auth: "visitor",
    documentedActs: "log in",
    rates: [{ policy: "oidcCallback", by: "address" }],
    query: OidcCallbackQuery,
    answers: { 302: Redirect },
    mediaType: "text/plain",
    errors: [],
    hasEffect: true,
    handle: (call) =>
      orErrorPage(call, async () => {
        const { ctx, caller, request } = call;
        const { config } = ctx;
        const flow = readFlowCookie(config, request.headers.get("cookie"), ctx.clock.now());
        giveCookie(call, clearedFlowCookie(config));
        if (flow === null) throw fail("oidc_failed");
        const address = new URL(ownOrigin(config, request) + CALLBACK);
        address.search = new URL(request.url).search;
        const { login } = await completeLogin(ctx, flow, address, { caller, origin: originOf(call) });
        if (login !== null) giveLogin(call, login);
        return flow.returnTo;
      }),
  }),
  route({
    name: "listIdentities",
    method: "GET",
    path: LIST,
    summary: "List the accounts at the provider with which the caller can log in",
    tag,
    auth: "session",
    documentedActs: "own identities",
    answers: { 200: IdentitiesResponse },
    errors: [],
    handle: ({ ctx, caller }) => ownIdentities(ctx, caller),
  }),
  route({
    name: "linkIdentity",
    method: "POST",
    path: LIST,
    summary: "Begin to link an account at the provider to the caller's",
    tag,
    auth: "session",
    documentedActs: "link identity",
    rates: [{ policy: "oidcStart", by: "address" }],
    body: LinkIdentityBody,
    answers: { 200: LinkIdentityResponse },
    errors: ["reauth_required", "oidc_disabled", "oidc_failed", "overloaded"],
    async handle(call) {
      const { ctx, caller, body, request } = call;
      const origin = ownOrigin(ctx.config, request);
      const begun = await beginLink(ctx, caller, { origin, returnTo: body.return_to, password: body.current_password });
      giveCookie(call, flowCookie(ctx.config, begun.flow));
      return { authorization_url: begun.url };
    },
  }),
  route({
    name: "unlinkIdentity",
    method: "DELETE",
    path: `${LIST}/:identity_id`,
    summary: "Unlink an account at the provider, which ends the other sessions that began with it",
    tag,
    auth: "session",
    documentedActs: "own identities",
    params: IdentityParams,
    body: UnlinkIdentityBody,
    bodyOptional: true,
    answers: { 200: UnlinkIdentityResponse },
    errors: ["identity_not_found", "last_login_method", "reauth_required", "overloaded"],
    async handle({ ctx, caller, params: { identity_id }, body }) {
      await unlink(ctx, caller, identity_id, body.current_password);
      return { message: "The login is unlinked.", identity_id };
    },
  }),
  route({
    name: "announceLogout",
    method: "POST",
    path: "/api/auth/oidc/backchannel-logout",
    summary: "End the sessions of a logout that the provider announces with a signed token (Back-Channel Logout 1.0)",
    tag,
    auth: "open",
    documentedActs: "announce logout",
    rates: [{ policy: "oidcLogout", by: "address" }],
    bodyBytes: LOGOUT_FORM_BYTES,
    answers: { 200: BackchannelLogoutResponse },
    errors: ["invalid_logout_token", "oidc_disabled", "oidc_failed", "unsupported_media_type"],
    async handle({ ctx, request, headers }) {
      headers.set("cache-control", "no-store");
      checkEncoding(request);
      const form = new URLSearchParams(decodeText(await readBytes(request, LOGOUT_FORM_BYTES)));
      return { ended_sessions: await backchannelLogout(ctx, form.get("logout_token") ?? "") };
    },
  }),
];
