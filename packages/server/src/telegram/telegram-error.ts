/** A refusal in the words of the Bot API (protocol §15.7). */
export class TelegramError extends Error {
  readonly status: number;
  /** Seconds until a repetition can succeed; undefined: the client must not repeat the call by itself. */
  readonly retryAfter: number | undefined;

  constructor(status: number, description: string, retryAfter?: number) {
    super(description);
    this.name = "TelegramError";
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

/** Returns the error of a call that is wrong: 400 `Bad Request: …`. */
export const badRequest = (reason: string): TelegramError => new TelegramError(400, `Bad Request: ${reason}`);

/** Returns the error of marks that cannot be read. Clients send the text again without marks when they see it. */
export const unparsable = (reason: string): TelegramError => badRequest(`can't parse entities: ${reason}`);
