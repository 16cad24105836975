import type { AppContext } from "../context.ts";
import { fail } from "../errors.ts";
import { errorResponse } from "./answers/respond.ts";

/**
 * Refuses a request with several `Host` headers (400 `invalid_request`), as RFC 9112 demands: a proxy in front may have
 * routed it by another one than this server reads. The runtime joins them with commas, which no host contains. It
 * refuses itself a request without `Host`, with differing lengths, or with a length and a transfer encoding.
 */
export function withOneHost<R extends Request, A extends unknown[], T>(
  ctx: AppContext,
  nextRequestId: () => string,
  handle: (request: R, ...rest: A) => T,
): (request: R, ...rest: A) => T | Response {
  return (request, ...rest) => {
    if (request.headers.get("host")?.includes(",") !== true) return handle(request, ...rest);
    const envelope = { requestId: nextRequestId(), private: false, rate: undefined, extra: undefined };
    const message = "The request must have one header Host.";
    return errorResponse(ctx, request, envelope, fail("invalid_request", { message }));
  };
}
