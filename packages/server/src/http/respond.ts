import type { AppContext } from "../context.ts";
import { AppError, errorBody, fail } from "../errors.ts";
import type { RateDecision } from "../rate-limiter.ts";
import { corsHeaders } from "./origin.ts";
import { rateLeft, ratePolicy } from "./rates.ts";

/** What an answer says besides its body. */
export interface Envelope {
  requestId: string;
  /** Answers to a known caller may not be kept by caches. */
  private: boolean;
  rate: RateDecision | undefined;
  extra: Headers | undefined;
}

/** The headers every answer has (contract, section 0). One literal, because this is built for every request. */
function baseHeaders(ctx: AppContext, request: Request, envelope: Envelope): Record<string, string> {
  const headers: Record<string, string> = {
    "content-type": "application/json",
    "x-request-id": envelope.requestId,
    "x-api-version": "1",
    "x-content-type-options": "nosniff",
  };
  if (envelope.private) headers["cache-control"] = "no-store";
  if (envelope.rate !== undefined && ctx.config.rateLimits === "on") {
    headers["ratelimit-policy"] = ratePolicy(envelope.rate);
    headers.ratelimit = rateLeft(envelope.rate);
  }
  if (ctx.config.allowedOrigins.length > 0) Object.assign(headers, corsHeaders(ctx.config, request));
  if (ctx.config.secureCookies) headers["strict-transport-security"] = "max-age=31536000";
  return headers;
}

/** A JSON answer from ready text. */
export function jsonResponse(
  ctx: AppContext,
  request: Request,
  envelope: Envelope,
  status: number,
  json: string,
): Response {
  const headers = baseHeaders(ctx, request, envelope);
  if (envelope.extra === undefined) return new Response(json, { status, headers });
  const response = new Response(json, { status, headers });
  for (const [name, value] of envelope.extra) {
    if (name === "set-cookie") response.headers.append(name, value);
    else response.headers.set(name, value);
  }
  return response;
}

/** Adds what every answer has to a Response the handler made itself (bytes, streams, pages). */
export function completeResponse(ctx: AppContext, request: Request, envelope: Envelope, response: Response): Response {
  const base = baseHeaders(ctx, request, envelope);
  if (response.headers.has("content-type") || response.body === null) delete base["content-type"];
  if (response.headers.has("cache-control")) delete base["cache-control"];
  for (const [name, value] of Object.entries(base)) response.headers.set(name, value);
  if (envelope.extra !== undefined) for (const [name, value] of envelope.extra) response.headers.append(name, value);
  return response;
}

/** Turns whatever was thrown into the error answer; the only place where an error becomes HTTP. */
export function errorResponse(ctx: AppContext, request: Request, envelope: Envelope, thrown: unknown): Response {
  const error = toAppError(ctx, thrown, envelope.requestId);
  const response = jsonResponse(
    ctx,
    request,
    envelope,
    error.status,
    JSON.stringify(errorBody(error, envelope.requestId)),
  );
  if (error.retryAfter !== undefined) response.headers.set("retry-after", String(error.retryAfter));
  if (error.status === 401 && request.headers.has("authorization")) response.headers.set("www-authenticate", "Bearer");
  for (const [name, value] of Object.entries(error.headers ?? {})) response.headers.set(name, value);
  return response;
}

/** Known refusals pass; a database that is away or full is told as such; anything else is a bug, logged with its stack. */
export function toAppError(ctx: AppContext, thrown: unknown, requestId: string): AppError {
  if (thrown instanceof AppError) return thrown;
  const storage = ctx.storageError(thrown);
  if (storage === undefined) {
    ctx.log.error({ err: thrown, requestId }, "unexpected error");
    return fail("internal_error");
  }
  ctx.log.warn({ err: thrown, requestId }, "storage refused");
  return fail(storage, { retryAfter: 2, cause: thrown });
}
