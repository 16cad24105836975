/** The server cannot start as things are. The message is for the person at the terminal: what is wrong and what to do. */
export class StartupError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "StartupError";
  }
}
