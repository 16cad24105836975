import type { Socket } from "node:net";

/** The treatment of the bytes in one direction of a proxy. Shared by its connections, and changed while they run. */
export interface Weather {
  hangs: boolean;
  delayMs: number;
}

/** Bytes that wait in the proxy; above this the sender has to wait. */
const HELD_MAX = 4 * 1024 * 1024;

/** Passes what one socket receives on to another: in order, complete, and as late as the weather says. */
export class OneWay {
  readonly #from: Socket;
  readonly #to: Socket;
  readonly #weather: Weather;
  readonly #held: { at: number; chunk: Uint8Array }[] = [];
  #heldBytes = 0;
  #timer: Timer | undefined;
  #isOver = false;

  constructor(from: Socket, to: Socket, weather: Weather) {
    this.#from = from;
    this.#to = to;
    this.#weather = weather;
    from.on("data", (chunk: Uint8Array) => this.#take(chunk));
    to.on("drain", () => this.#resume());
  }

  /** Passes on what is due. */
  pass(): void {
    clearTimeout(this.#timer);
    const { hangs, delayMs } = this.#weather;
    for (let first = this.#held[0]; !hangs && first !== undefined; first = this.#held[0]) {
      // A delay that has ended no longer holds what it caught.
      const waits = delayMs === 0 ? 0 : first.at + delayMs - performance.now();
      if (waits > 0) {
        this.#timer = setTimeout(() => this.pass(), waits);
        return;
      }
      this.#held.shift();
      this.#heldBytes -= first.chunk.length;
      this.#write(first.chunk);
    }
    if (this.#held.length === 0 && this.#isOver) this.#to.destroySoon();
    else this.#resume();
  }

  /** Ends the other side, after what is held was passed on. */
  end(): void {
    this.#isOver = true;
    this.pass();
  }

  #take(chunk: Uint8Array): void {
    const { hangs, delayMs } = this.#weather;
    if (!hangs && delayMs === 0 && this.#held.length === 0) {
      this.#write(chunk);
      return;
    }
    this.#held.push({ at: performance.now(), chunk });
    this.#heldBytes += chunk.length;
    if (this.#heldBytes > HELD_MAX) this.#from.pause();
    if (this.#held.length === 1) this.pass();
  }

  #write(chunk: Uint8Array): void {
    if (!this.#to.destroyed && !this.#to.write(chunk)) this.#from.pause();
  }

  #resume(): void {
    if (this.#heldBytes <= HELD_MAX && !this.#to.writableNeedDrain && this.#from.isPaused()) this.#from.resume();
  }
}
