import { FRAMES_MAX, FRAMES_SECONDS } from "@parley/protocol/limits";

/** Frames per sliding window. */
export interface RateLimit {
  frames: number;
  windowMs: number;
}

/**
 * Below the server's limit for a socket, so that a client in many channels is not closed for rejoining them too fast.
 */
export const SOCKET_RATE_LIMIT: RateLimit = { frames: FRAMES_MAX - 10, windowMs: FRAMES_SECONDS * 1_000 };

/** Sends frames in order, within the rate. One per socket; `stop` discards the queue. */
export class SendQueue {
  readonly #rateLimit: RateLimit;
  readonly #send: (frame: string) => void;
  readonly #waiting: string[] = [];
  /** Send times of the newest frames, oldest first; as many as one window allows. */
  readonly #left: number[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(rateLimit: RateLimit, send: (frame: string) => void) {
    this.#rateLimit = rateLimit;
    this.#send = send;
  }

  push(frame: string): void {
    this.#waiting.push(frame);
    if (this.#timer === undefined) this.#flush();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#waiting.length = 0;
  }

  readonly #flush = (): void => {
    this.#timer = undefined;
    while (this.#waiting.length > 0) {
      const now = performance.now();
      const oldest = this.#left.length < this.#rateLimit.frames ? undefined : this.#left[0];
      const wait = oldest === undefined ? 0 : oldest + this.#rateLimit.windowMs - now;
      if (wait > 0) {
        this.#timer = setTimeout(this.#flush, wait);
        return;
      }
      if (oldest !== undefined) this.#left.shift();
      this.#left.push(now);
      this.#send(this.#waiting.shift() ?? "");
    }
  };
}
