import type { ErrorBody, ErrorCode } from "@parley/protocol/errors";
import type { PaymentDemand } from "@parley/protocol/payments";

/**
 * Codes the client gives itself, when no server answered:
 * - `network_error`: the server could not be reached, or the connection broke before the answer was whole.
 * - `timeout`: no answer in time.
 * - `invalid_answer`: what answered is no Parley server (a proxy's page, for one).
 * - `connection_lost`: the socket broke under a command; it may have been carried out or not.
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

/** Local codes after which the same call can succeed: nobody refused it. */
const PASSING: ReadonlySet<string> = new Set<LocalCode>(["network_error", "timeout", "connection_lost"]);
/** Statuses that pass, where the body does not say: a proxy's page, or an older server. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** A newer server may know codes this client does not. */
type AnyCode = ErrorCode | LocalCode | (string & Record<never, never>);

/** Every failure of this package. Branch on `code`, never on the text. */
export class ParleyError extends Error {
  override readonly name = "ParleyError";
  readonly code: AnyCode;
  /** The HTTP status; 0 when no answer came or the answer came over the socket. */
  readonly status: number;
  /** What helps with this code (protocol §0). */
  readonly details: unknown;
  /** True if the same call can succeed later without any change. It may have been carried out already: see `Call.repeatable`. */
  readonly retryable: boolean;
  /** Whole seconds until trying again can succeed. */
  readonly retryAfter: number | undefined;
  /** Of a 402: what has to be paid. */
  readonly payment: PaymentDemand | undefined;
  /** Names the request in the server's log. */
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

  /** From the body of an error answer, over HTTP or over the socket. */
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

/** Is this the error answer of a Parley server? */
export function isErrorBody(body: unknown): body is ErrorBody {
  return (
    body !== null && typeof body === "object" && "code" in body && typeof body.code === "string" && "error" in body
  );
}
