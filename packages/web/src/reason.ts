import { ParleyError } from "@parley/sdk/errors";

/** An error as it is told to a person. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof ParleyError)) return String(error);
  if (error.code === "network_error" || error.code === "timeout") return "The server cannot be reached.";
  return error.retryAfter === undefined ? error.message : `${error.message} (${error.retryAfter} s)`;
}
