import { type AppContext, perServer } from "../context.ts";

/** Bytes of large texts after which the collector runs. */
const EVERY_BYTES = 24 * 1024 * 1024;
/** Shorter texts do not count: they are what nearly all requests have, and the collector keeps up with them. */
const LARGE_FROM = 4 * 1024;

/**
 * Runs the garbage collector when many large texts have passed. A long message or page leaves its text in several forms
 * (received, parsed, stored, sent). The runtime's own collector runs beside the server and lets them pile up: one account
 * made a server grow by 150 MB for a moment with messages that nobody read, and by 270 MB with their pages.
 */
export class LargeGarbage {
  readonly #collect: () => void;
  #bytes = 0;

  constructor(collect: () => void = () => Bun.gc(true)) {
    this.#collect = collect;
  }

  /** Counts the bytes of a text that becomes garbage soon. May collect in a later turn. */
  note(bytes: number): void {
    if (bytes < LARGE_FROM) return;
    this.#bytes += bytes;
    if (this.#bytes < EVERY_BYTES) return;
    this.#bytes = 0;
    // Not in this turn, in which the text is still in use.
    setTimeout(this.#collect, 0);
  }
}

export const largeGarbage = perServer((_: AppContext) => new LargeGarbage());
