import type { Log } from "../logging/log.ts";

/** Counts failures, and logs each kind once while it lasts. */
export class Failures {
  readonly #log: Log;
  readonly #place: string;
  /** The failures that last: the newest message, by what failed. */
  readonly #lasting = new Map<string, string>();
  #count = 0;

  constructor(log: Log, place: string) {
    this.#log = log;
    this.#place = place;
  }

  get count(): number {
    return this.#count;
  }

  /** Logs the failure unless it is the last one of its kind again. `text` says what failed. */
  failed(error: unknown, text: string): void {
    this.#count += 1;
    const message = error instanceof Error ? error.message : String(error);
    if (message !== this.#lasting.get(text)) this.#log.error({ err: error, place: this.#place }, text);
    this.#lasting.set(text, message);
  }

  succeeded(text: string): void {
    this.#lasting.delete(text);
  }

  lasts(text: string): boolean {
    return this.#lasting.has(text);
  }
}

/** Returns the error's code; an empty string if it has none. */
export const codeOf = (error: unknown): string => (error instanceof Error && "code" in error ? String(error.code) : "");
