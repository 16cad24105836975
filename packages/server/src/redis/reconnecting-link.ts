import { RedisUnavailable } from "./redis-answer.ts";
import { RedisLink } from "./redis-link.ts";

const RETRY_MS = 500;

interface Options {
  url: string;
  /**
   * Prepares each new link before `link` shows it. A rejection discards it. It must bound each of its steps, because the
   * next attempt waits for it.
   */
  prepare?: (link: RedisLink) => Promise<void>;
  /** Called when there is a link. */
  onUp?: (link: RedisLink) => void;
  /** Called once an outage: when the link is lost, or when the first attempt fails. */
  onDown?: (error: unknown) => void;
}

/** Keeps one link open to a server: replaces a link that closes, and tries twice a second until it succeeds. */
export class ReconnectingLink implements Disposable {
  readonly #options: Options;
  #link: RedisLink | null = null;
  /** A link that is being prepared. */
  #next: RedisLink | null = null;
  #isDown = false;
  #isClosed = false;
  #retry: ReturnType<typeof setTimeout> | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  /** The open link; null while there is none. */
  get link(): RedisLink | null {
    return this.#link;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Connects. Resolves after the first attempt; if it failed, others follow. */
  start(): Promise<void> {
    return this.#connect().catch((error) => this.#lost(error));
  }

  /**
   * Closes the link and opens another one, because it no longer works. While a new link is being prepared, gives that
   * attempt up; the next one follows.
   */
  replace(reason: string): void {
    // What was sent through it is rejected, which ends the attempt.
    this.#next?.[Symbol.dispose]();
    const link = this.#link;
    if (link === null) return;
    link[Symbol.dispose]();
    this.#lost(new RedisUnavailable(reason));
  }

  async #connect(): Promise<void> {
    const link = await RedisLink.open(this.#options.url, (error) => {
      if (this.#link === link) this.#lost(error);
    });
    this.#next = link;
    try {
      if (!this.#isClosed) await this.#options.prepare?.(link);
      if (this.#isClosed || !link.isOpen)
        throw new RedisUnavailable("The connection to Redis closed as soon as it opened.");
    } catch (error) {
      link[Symbol.dispose]();
      throw error;
    } finally {
      this.#next = null;
    }
    this.#link = link;
    this.#isDown = false;
    this.#options.onUp?.(link);
  }

  #lost(error: unknown): void {
    this.#link = null;
    if (this.#isClosed) return;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => void this.start(), RETRY_MS);
    if (this.#isDown) return;
    this.#isDown = true;
    this.#options.onDown?.(error);
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    this.#link?.[Symbol.dispose]();
    this.#next?.[Symbol.dispose]();
    this.#link = null;
  }
}
