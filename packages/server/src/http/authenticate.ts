import type { AppContext } from "../context.ts";
import { fail } from "../errors.ts";
import { GUEST, type Identity } from "./identity.ts";
import type { Auth } from "./route.ts";

/** Identifies the caller. Synchronous when the credential is cached, the usual case on busy connections. */
export type Authenticator = (ctx: AppContext, auth: Auth, request: Request) => Identity | Promise<Identity>;

/** The two kinds of credentials, each read by the slice that owns it. */
export interface Credentials {
  /**
   * Returns the session of the request's cookie; null if there is none or it has ended. `isUse` updates its time of
   * last use.
   */
  session(ctx: AppContext, cookieHeader: string, isUse: boolean): Identity | null | Promise<Identity | null>;
  /** Returns the agent of an `Authorization` header. Throws its own 401s. */
  apiKey(ctx: AppContext, authorization: string | null, isUse: boolean): Identity | Promise<Identity>;
}

/**
 * Browsers send these schemes to a proxy with its own login, and most proxies forward them: they do not identify a
 * caller here.
 */
const OF_PROXIES = /^(basic|digest|negotiate) /i;

/** Returns the `Authorization` header if it may hold an API key; null if there is none, or a proxy's own login. */
export function keyHeader(request: Request): string | null {
  const authorization = request.headers.get("authorization");
  return authorization === null || OF_PROXIES.test(authorization) ? null : authorization;
}

/**
 * Creates the authenticator. Agent routes read only the header, session routes only the cookie; where both may call, a
 * header takes precedence.
 */
export function createAuthenticator(credentials: Credentials): Authenticator {
  const bySession = (ctx: AppContext, request: Request): Identity | Promise<Identity> => {
    const cookie = request.headers.get("cookie");
    if (cookie === null) return GUEST;
    const found = credentials.session(ctx, cookie, isUse(request));
    return found instanceof Promise ? found.then((identity) => identity ?? GUEST) : (found ?? GUEST);
  };
  return (ctx, auth, request) => {
    if (auth === "agent") return credentials.apiKey(ctx, request.headers.get("authorization"), isUse(request));
    if (auth === "open") return GUEST;
    if (auth !== "session" && auth !== "visitor") {
      const authorization = keyHeader(request);
      if (authorization !== null) return credentials.apiKey(ctx, authorization, isUse(request));
    }
    const found = bySession(ctx, request);
    if (auth === "visitor" || auth === "anyone" || (auth === "guest" && ctx.config.guestRead)) return found;
    return found instanceof Promise ? found.then(requireCaller) : requireCaller(found);
  };
}

/** HEAD changes nothing, including the time of last use and an agent's presence (protocol §0). */
const isUse = ({ method }: Request): boolean => method !== "HEAD";

function requireCaller(identity: Identity): Identity {
  if (identity.kind === "guest") throw fail("session_required");
  return identity;
}
