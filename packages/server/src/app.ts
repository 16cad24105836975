import type { Server } from "bun";
import { authenticateCookie, userNow } from "./accounts/sessions/sessions.ts";
import { agentNow, authenticateKey } from "./agents/keys/keys.ts";
import type { MaybePromise } from "./base/maybe-promise.ts";
import type { AppContext } from "./context.ts";
import { fail } from "./errors.ts";
import { callers } from "./http/acts/act.ts";
import type { AnswerObserver } from "./http/answers/finish.ts";
import { completeResponse, errorResponse } from "./http/answers/respond.ts";
import { createAuthenticator } from "./http/authenticate.ts";
import { addressReader } from "./http/connections/address.ts";
import type { RoutedRequest } from "./http/exchange.ts";
import { preflight } from "./http/origin.ts";
import { createHandler, type PipelineParts, withOneHost } from "./http/pipeline.ts";
import type { Route } from "./http/route.ts";

type Handler = (request: RoutedRequest, server: Server<unknown>) => MaybePromise<Response>;

/** The input of Bun.serve: handlers by path and method, and one for unmatched requests. */
export interface App {
  routes: Record<string, Record<string, Handler>>;
  fallback(request: Request, server: Server<unknown>): MaybePromise<Response>;
  /** Puts the check of the header `Host` before a handler outside of `routes`. */
  withOneHost<T>(
    handle: (request: Request, server: Server<unknown>) => T,
  ): (request: Request, server: Server<unknown>) => T | Response;
}

/** Puts each route behind the pipeline. `observe` sees every answer of a route. */
export function createApp(ctx: AppContext, all: readonly Route[], observe: AnswerObserver | undefined): App {
  const prefix = Buffer.from(ctx.clock.random(5)).toString("hex");
  let requests = 0;
  callers(ctx, { user: userNow, agent: agentNow });
  const parts: PipelineParts = {
    ctx,
    authenticate: createAuthenticator({
      session: authenticateCookie,
      apiKey: authenticateKey,
    }),
    addressOf: addressReader(ctx),
    nextRequestId: () => `${prefix}-${(++requests).toString(36)}`,
    observe,
  };
  const routes: App["routes"] = {};
  for (const route of all) {
    const methods = routes[route.path] ?? {};
    routes[route.path] = methods;
    methods[route.method] = withOneHost(ctx, parts.nextRequestId, createHandler(parts, route));
  }
  return {
    routes,
    fallback: withOneHost(ctx, parts.nextRequestId, createFallback(parts, routes)),
    withOneHost: (handle) => withOneHost(ctx, parts.nextRequestId, handle),
  };
}

/** Makes the handler for everything that matches no route: preflights, HEAD, wrong methods, unknown paths. */
function createFallback(parts: PipelineParts, routes: App["routes"]): App["fallback"] {
  const { ctx } = parts;
  const patterns = Object.entries(routes)
    .sort(([one], [other]) => (generality(one) < generality(other) ? -1 : 1))
    .map(([path, methods]) => ({ pattern: patternOf(path), methods }));
  return async (request, server) => {
    server.timeout(request, ctx.timing.idleSeconds);
    const envelope = { requestId: parts.nextRequestId(), private: false, rate: undefined, extra: undefined };
    // If the Host header is not a host, only the path is available, or not even that.
    const pathname = normalPath(URL.parse(request.url, "http://unnamed")?.pathname ?? "");
    const found = patterns.find(({ pattern }) => pattern.test(pathname));
    if (found === undefined) return errorResponse(ctx, request, envelope, fail("not_found"));
    const names = Object.keys(found.methods);
    const allowed = [...names, ...(names.includes("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
    if (request.method === "OPTIONS")
      return completeResponse(ctx, request, envelope, preflight(ctx.config, request, allowed));
    // Bun's router compares the path as it was sent, such as `/api/./channels`.
    const handler = found.methods[request.method];
    if (handler !== undefined) return handler(withParams(request, found.pattern, pathname), server);
    const get = found.methods.GET;
    if (request.method === "HEAD" && get !== undefined) {
      const response = await get(withParams(request, found.pattern, pathname), server);
      // A body that is generated while it is sent would hold its resources forever.
      await response.body?.cancel();
      return new Response(null, { status: response.status, headers: response.headers });
    }
    return errorResponse(ctx, request, envelope, fail("method_not_allowed", { headers: { allow: allowed } }));
  };
}

/** Decodes the characters that need no percent-encoding, such as `%63` (RFC 3986, 6.2.2.2). */
const normalPath = (path: string): string =>
  path.replace(/%[0-9a-f]{2}/gi, (code) => {
    const character = String.fromCharCode(Number.parseInt(code.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : code;
  });

/** Orders paths as Bun's router does: a name before a parameter, and a parameter before the rest of a path. */
const generality = (path: string): string =>
  path
    .split("/")
    .map((part) => (part === "*" ? "2" : part.startsWith(":") ? "1" : "0"))
    .join("");

/** Converts `/a/:name/b` into a pattern with named groups. */
function patternOf(path: string): RegExp {
  const source = path
    .split("/")
    .map((part) =>
      part.startsWith(":")
        ? `(?<${part.slice(1)}>[^/]+)`
        : part === "*"
          ? ".*"
          : part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"),
    )
    .join("/");
  return new RegExp(`^${source}$`);
}

/** Returns the text without percent-encoding, or as it is if it is malformed: then no id has this form. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function withParams(request: Request, pattern: RegExp, pathname: string): RoutedRequest {
  const groups = Object.entries(pattern.exec(pathname)?.groups ?? {});
  return Object.assign(request, { params: Object.fromEntries(groups.map(([name, text]) => [name, decoded(text)])) });
}
