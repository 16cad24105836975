/** The server cannot start as things are. The message is for the person at the terminal: what is wrong and what to do. */
export class StartupError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "StartupError";
  }
}

/** The refusal when a file could not be written because the disk is full; undefined when it was something else. */
export function noRoom(path: string, error: unknown): StartupError | undefined {
  if (!(error instanceof Error && "code" in error)) return undefined;
  if (!/^(ENOSPC|EDQUOT|SQLITE_FULL|SQLITE_IOERR_SHMSIZE)$/.test(String(error.code))) return undefined;
  return new StartupError(`There is no room on the disk for ${path}. Free some, then start again.`, error);
}
