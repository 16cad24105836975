import type { ErrorBody, ErrorCode } from "@parley/protocol/errors";
import type { PaymentDemand } from "@parley/protocol/payments";

/**
 * Codes that the client itself sets when no server answered:
 * - `network_error`: the server could not be reached, or the connection broke before the answer was complete.
 * - `timeout`: no answer in time.
 * - `invalid_answer`: the answer is not from a Parley server (a proxy's page, for example).
 * - `connection_lost`: the socket broke during a command, which may or may not have been executed.
 * - `connection_closed`: `close()` was called.
 * - `session_over`, `access_ended`: the server closed the socket for good (4401, 4403); log in again.
 */
export type LocalCode =
  | "network_error"
  | "timeout"
  | "invalid_answer"
  | "connection_lost"
  | "connection_closed"
  | "session_over"
  | "access_ended";

/** Local codes after which the same call can succeed: no server refused it. */
const PASSING: ReadonlySet<string> = new Set<LocalCode>(["network_error", "timeout", "connection_lost"]);
/** Temporary statuses, used if the body does not say: a proxy's page, or an older server. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** A newer server may send codes that this client does not know. */
type AnyCode = ErrorCode | LocalCode | (string & Record<never, never>);

/** Every error of this package. Branch on `code`, never on the text. */
export class ParleyError extends Error {
  override readonly name = "ParleyError";
  readonly code: AnyCode;
  /** The HTTP status; 0 without an answer, or if the answer arrived over the socket. */
  readonly status: number;
  /** Details of the error, depending on its code (protocol §0). */
  readonly details: unknown;
  /** True if the same call can succeed later unchanged. It may already have been executed: see `Call.repeatable`. */
  readonly retryable: boolean;
  /** Whole seconds until a retry can succeed. */
  readonly retryAfter: number | undefined;
  /** For a 402: what to pay. */
  readonly payment: PaymentDemand | undefined;
  /** Identifies the request in the server's log. */
  readonly requestId: string | undefined;

  constructor(code: AnyCode, message: string, more: Partial<Omit<ParleyError, "code" | "message">> = {}) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.code = code;
    this.status = more.status ?? 0;
    this.retryable = more.retryable ?? (PASSING.has(code) || PASSING_STATUSES.has(this.status));
    this.details = more.details;
    this.retryAfter = more.retryAfter;
    this.payment = more.payment;
    this.requestId = more.requestId;
  }

  /** Creates the error from the body of an error answer, over HTTP or the socket. */
  static fromBody(body: ErrorBody, status = 0, retryAfter = body.retry_after): ParleyError {
    return new ParleyError(body.code, body.error, {
      status,
      retryable: body.retryable,
      details: body.details,
      retryAfter,
      payment: body.payment,
      requestId: body.request_id,
    });
  }
}

/** True for the error answer of a Parley server. */
export function isErrorBody(body: unknown): body is ErrorBody {
  return (
    body !== null && typeof body === "object" && "code" in body && typeof body.code === "string" && "error" in body
  );
}
