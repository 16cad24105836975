import type { AppContext } from "../context.ts";
import { fail } from "../errors.ts";
import { GUEST, type Identity } from "./identity.ts";
import type { Auth } from "./route.ts";

/** Finds out who calls. Sync when the credential is in memory, which is the rule on busy connections. */
export type Authenticator = (ctx: AppContext, auth: Auth, request: Request) => Identity | Promise<Identity>;

/** The two kinds of credentials, each read by the slice that owns it. */
export interface Credentials {
  /** The session of the request's cookie; null without one or with one that ended. `isUse`: the time of its last use moves. */
  session(ctx: AppContext, cookieHeader: string, isUse: boolean): Identity | null | Promise<Identity | null>;
  /** The agent behind an `Authorization` header. Throws its own 401s. */
  apiKey(ctx: AppContext, authorization: string | null, isUse: boolean): Identity | Promise<Identity>;
}

/** A browser sends these to a proxy that asks for a login of its own, and most proxies pass them on: they say nothing about a caller here. */
const OF_PROXIES = /^(basic|digest|negotiate) /i;

/** Agent routes look at the header only, session routes at the cookie only; where both may call, a header that is sent decides. */
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
      const authorization = request.headers.get("authorization");
      if (authorization !== null && !OF_PROXIES.test(authorization))
        return credentials.apiKey(ctx, authorization, isUse(request));
    }
    const found = bySession(ctx, request);
    if (auth === "visitor" || auth === "anyone" || (auth === "guest" && ctx.config.guestRead)) return found;
    return found instanceof Promise ? found.then(requireCaller) : requireCaller(found);
  };
}

/** A HEAD changes nothing, the time of the last use and an agent's presence included (protocol §0). */
const isUse = ({ method }: Request): boolean => method !== "HEAD";

function requireCaller(identity: Identity): Identity {
  if (identity.kind === "guest") throw fail("session_required");
  return identity;
}
