import { ForeignError } from "../../base/foreign-error.ts";
import { AppError, fail } from "../../errors.ts";
import type { Log } from "../../logging/log.ts";

const FULL = /^(ENOSPC|EDQUOT|EFBIG)$/;

/**
 * Returns the AppError for an error of a storage: `storage_full` if the disk or its quota has no room, else
 * `storage_unavailable`, which is logged, because only the operator can do something about it.
 */
export function storageFailure(log: Pick<Log, "error">, what: string, error: unknown): AppError {
  if (error instanceof AppError) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (FULL.test(code)) return fail("storage_full", { retryAfter: 30, cause: error });
  const cause = new ForeignError(`the storage of files could not ${what}`, { cause: error });
  log.error({ err: cause }, cause.message);
  return fail("storage_unavailable", {
    message: "The storage of files does not respond. Try again shortly.",
    retryAfter: 5,
    cause,
  });
}
