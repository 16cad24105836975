/** Redis did not answer, or there is no connection to it. */
export class RedisUnavailable extends Error {
  override readonly name = "RedisUnavailable";
}

/** True if Redis answered a command with an error; false if it did not answer. */
export const isRefusal = (error: unknown): error is Error =>
  error instanceof Error && "code" in error && error.code === "ERR_REDIS_SERVER_ERROR";
