import type { DetailsOf } from "@parley/protocol/error-details";
import { ERRORS, type ErrorBody, type ErrorCode, isRetryable } from "@parley/protocol/errors";
import type { PaymentDemand } from "@parley/protocol/payments";

interface ErrorExtras<C extends ErrorCode = ErrorCode> {
  /** Replaces the table's text with a more exact one. */
  message?: string;
  details?: DetailsOf<C>;
  /** Seconds; rounded up on the wire. */
  retryAfter?: number;
  headers?: Record<string, string>;
  /** Of a 402: the payment that is required. */
  payment?: PaymentDemand;
  cause?: unknown;
}

/** An error that is reported to the caller. Anything else that is thrown is a bug and returns 500 `internal_error`. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: DetailsOf<ErrorCode>;
  readonly retryAfter: number | undefined;
  readonly headers: Record<string, string> | undefined;
  readonly payment: PaymentDemand | undefined;

  constructor(code: ErrorCode, extras: ErrorExtras = {}) {
    super(extras.message ?? ERRORS[code][1], extras.cause === undefined ? undefined : { cause: extras.cause });
    this.name = "AppError";
    this.code = code;
    this.status = ERRORS[code][0];
    this.details = extras.details;
    this.retryAfter = extras.retryAfter === undefined ? undefined : Math.max(1, Math.ceil(extras.retryAfter));
    this.headers = extras.headers;
    this.payment = extras.payment;
  }
}

/** Makes the error with that code, to be thrown: `throw fail("channel_not_found")`. */
export function fail<C extends ErrorCode>(code: C, extras?: ErrorExtras<C>): AppError {
  return new AppError(code, extras);
}

/** Returns the wire form of an error, for HTTP bodies and socket frames alike. */
export function errorBody(error: AppError, requestId?: string): ErrorBody {
  return {
    success: false,
    error: error.message,
    code: error.code,
    retryable: isRetryable(error.code),
    ...(requestId === undefined ? {} : { request_id: requestId }),
    ...(error.details === undefined ? {} : { details: error.details }),
    ...(error.retryAfter === undefined ? {} : { retry_after: error.retryAfter }),
    ...(error.payment === undefined ? {} : { payment: error.payment }),
  };
}

/**
 * An error of another service than the database, such as the storage of files or the virus scanner. The codes of its cause
 * (`ECONNREFUSED`) say nothing about the database.
 */
export class ForeignError extends Error {
  override readonly name = "ForeignError";
}
