import type { Config } from "../config/config.ts";
import { fail } from "../errors.ts";

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * True if a page of this origin may act with the visitor's cookie: the server's own origin and the configured ones
 * (protocol §1).
 */
export function isAllowedOrigin(config: Config, request: Request, origin: string): boolean {
  if (isListed(config, origin) || origin === config.publicUrl) return true;
  const host = request.headers.get("host");
  return host !== null && origin === `${schemeOf(config)}//${host}`;
}

/** `*` allows every origin. */
function isListed({ allowedOrigins }: Config, origin: string): boolean {
  return allowedOrigins.includes(origin) || allowedOrigins.includes("*");
}

/** Parley does not terminate TLS itself: behind a proxy that does, requests arrive over http. */
const schemeOf = (config: Config): string => (config.secureCookies ? "https:" : "http:");

/**
 * Returns the origin by which the caller reached this server: the public URL or, if unset, the request's host. @throws
 * invalid_request
 */
export function ownOrigin(config: Config, request: Request): string {
  if (config.publicUrl !== null) return config.publicUrl;
  const named = URL.parse(`${schemeOf(config)}//${request.headers.get("host") ?? ""}`);
  if (named === null || named.username !== "" || named.pathname !== "/" || named.search !== "")
    throw fail("invalid_request", { message: "The header Host does not contain a host." });
  return named.origin;
}

/**
 * Rejects unsafe requests that a foreign page made with the visitor's cookie. Checks `Sec-Fetch-Site` if the browser
 * sends it, else `Origin`; a request with neither does not come from a browser (protocol §1).
 */
export function checkCrossSite(config: Config, request: Request): void {
  if (SAFE_METHODS.has(request.method)) return;
  const site = request.headers.get("sec-fetch-site");
  if (site === "same-origin" || site === "none") return;
  const origin = request.headers.get("origin");
  if (origin === null && site === null) return;
  if (origin !== null && isAllowedOrigin(config, request, origin)) return;
  throw fail("cross_site");
}

const EXPOSED =
  "X-Request-Id, X-Api-Version, RateLimit, RateLimit-Policy, Retry-After, PAYMENT-REQUIRED, PAYMENT-RESPONSE, ETag, X-Ignored";

/**
 * Returns CORS headers for the configured origins, which may read answers and send credentials; all others get none
 * (protocol §0).
 */
export function corsHeaders(config: Config, request: Request): Record<string, string> | undefined {
  const origin = request.headers.get("origin");
  if (origin === null || !isListed(config, origin)) return undefined;
  return {
    "access-control-allow-origin": origin,
    "access-control-allow-credentials": "true",
    "access-control-expose-headers": EXPOSED,
  };
}

/** Answers a preflight request. */
export function preflight(config: Config, request: Request, methods: string): Response {
  const cors = corsHeaders(config, request);
  const headers: Record<string, string> = { allow: methods };
  if (cors !== undefined) {
    Object.assign(headers, cors, {
      "access-control-allow-methods": methods,
      "access-control-allow-headers":
        "Content-Type, Authorization, Idempotency-Key, X-Username, X-Request-Id, PAYMENT-SIGNATURE, X402-Version, Mcp-Protocol-Version, Mcp-Method, Mcp-Name",
      "access-control-max-age": "600",
    });
  }
  return new Response(null, { status: 204, headers });
}
