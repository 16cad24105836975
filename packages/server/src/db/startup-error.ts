/** The server cannot start. The message tells the operator what is wrong and what to do. */
export class StartupError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "StartupError";
  }
}

/** Returns the error for a file that could not be written because the disk is full; undefined for any other cause. */
export function noRoom(path: string, error: unknown): StartupError | undefined {
  if (!(error instanceof Error && "code" in error)) return undefined;
  if (!/^(ENOSPC|EDQUOT|SQLITE_FULL|SQLITE_IOERR_SHMSIZE)$/.test(String(error.code))) return undefined;
  return new StartupError(`There is no space on the disk for ${path}. Free some space, then start again.`, error);
}
