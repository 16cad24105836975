import type { DetailsOf } from "@parley/protocol/error-details";
import type { ErrorBody, ErrorCode } from "@parley/protocol/errors";
import type { EventData } from "@parley/protocol/events";
import type { PaymentDemand } from "@parley/protocol/payments";

/**
 * Codes that the client itself sets when no server answered:
 * - `network_error`: the server could not be reached, or the connection broke before the response was complete.
 * - `timeout`: no response in time.
 * - `invalid_answer`: the response is not from a Parley server (a proxy's page, for example).
 * - `connection_lost`: the socket broke during a command, which may or may not have been executed.
 * - `connection_closed`: `close()` was called.
 * - `session_over`: the session ended (4401 on the socket); log in again.
 * - `access_ended`: the server closed the socket because the account was suspended or the key revoked (4403), or a
 *   subscription ended because its channel is no longer accessible: then `details` has the reason.
 */
export type LocalErrorCode =
  | "network_error"
  | "timeout"
  | "invalid_answer"
  | "connection_lost"
  | "connection_closed"
  | "session_over"
  | "access_ended";

/** Local codes after which the same call can succeed: no server refused it. */
const TEMPORARY: ReadonlySet<string> = new Set<LocalErrorCode>(["network_error", "timeout", "connection_lost"]);
/** Temporary statuses, used if the body does not say: a proxy's page, or an older server. */
const TEMPORARY_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** The codes that this version knows. */
export type KnownErrorCode = ErrorCode | LocalErrorCode;
/** A newer server may send codes that this client does not know. */
type AnyErrorCode = KnownErrorCode | (string & Record<never, never>);

/** The type of `details` for a code; `unknown` while the code is not known. */
export type ErrorDetailsFor<C extends AnyErrorCode> = C extends ErrorCode
  ? DetailsOf<C>
  : C extends "access_ended"
    ? EventData<"access:ended"> | undefined
    : C extends LocalErrorCode
      ? undefined
      : unknown;

interface ErrorFields {
  status?: number;
  details?: unknown;
  retryable?: boolean;
  retryAfter?: number | undefined;
  payment?: PaymentDemand | undefined;
  requestId?: string | undefined;
  cause?: unknown;
}

/**
 * The error of a failed call. Only payments have two more, `OverSpendingCap` and `PaymentIncomplete`, which are not
 * `ParleyError`s. Branch on `code`, never on the text: `error.is("muted")` also narrows the type of `details`.
 */
export class ParleyError<C extends AnyErrorCode = AnyErrorCode> extends Error {
  override readonly name = "ParleyError";
  readonly code: C;
  /**
   * The HTTP status; 0 without a response, or if the response arrived over the socket. When the server ends a socket or
   * an event stream for good, the status that a request would have: 401 or 403.
   */
  readonly status: number;
  /** Details of the error, depending on its code (protocol §0). */
  readonly details: ErrorDetailsFor<C>;
  /** True if the same call can succeed later unchanged. It may already have been executed. */
  readonly retryable: boolean;
  /** Whole seconds until a retry can succeed. */
  readonly retryAfter: number | undefined;
  /** For a 402: what to pay. */
  readonly payment: PaymentDemand | undefined;
  /** Identifies the request in the server's log. */
  readonly requestId: string | undefined;

  constructor(code: C, message: string, fields: ErrorFields = {}) {
    super(message, fields.cause === undefined ? undefined : { cause: fields.cause });
    this.code = code;
    this.status = fields.status ?? 0;
    this.retryable = fields.retryable ?? (TEMPORARY.has(code) || TEMPORARY_STATUSES.has(this.status));
    this.details = fields.details as ErrorDetailsFor<C>;
    this.retryAfter = fields.retryAfter;
    this.payment = fields.payment;
    this.requestId = fields.requestId;
  }

  /** Returns whether this is the error with that code, whose `details` then have that code's type. */
  is<K extends KnownErrorCode>(code: K): this is ParleyError<K> {
    return (this.code as string) === code;
  }

  /** Creates the error from the body of an error response, over HTTP or the socket. */
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

/** True for the error response of a Parley server. */
export function isErrorBody(body: unknown): body is ErrorBody {
  return (
    body !== null && typeof body === "object" && "code" in body && typeof body.code === "string" && "error" in body
  );
}
