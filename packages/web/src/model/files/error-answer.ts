import type { ErrorBody } from "@parley/protocol/errors";
import { ParleyError } from "@parley/sdk";

/** Returns the error that a response reports. `body`: parsed; null if it is no JSON, as from a proxy. */
export function errorOf(body: unknown, status: number, retryAfter?: string | null): ParleyError {
  if (!isErrorBody(body)) return new ParleyError("invalid_answer", `The server answered with ${status}.`, { status });
  const seconds = Number(retryAfter ?? Number.NaN);
  return ParleyError.fromBody(body, status, body.retry_after ?? (Number.isFinite(seconds) ? seconds : undefined));
}

const isErrorBody = (body: unknown): body is ErrorBody =>
  body !== null && typeof body === "object" && "code" in body && typeof body.code === "string" && "error" in body;
