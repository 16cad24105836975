import { pause } from "../../base/timers.ts";
import { type AppContext, perServer } from "../../context.ts";

/** Bytes that all uploads together handle in a turn: about half a millisecond of the event loop. */
const TURN_BYTES = 128 * 1024;
/** How long the loop belongs to others after a turn: 60 MiB a second are left for uploads. */
const REST_MS = 2;
/** A rest that ends later than this shows that others use the loop. They get it for longer: 10 MiB a second are left. */
const LATE_MS = 0.5;
const LONG_REST_MS = 10;

/**
 * Shares the event loop between uploads and everything else. Uploads are bytes that arrive as fast as the network
 * carries them, and each costs CPU: without turns, they would take half of the loop from the messages.
 */
export class LoopTurns {
  readonly #clock: AppContext["clock"];
  #left = TURN_BYTES;
  #rest: Promise<void> | undefined;

  constructor({ clock }: Pick<AppContext, "clock">) {
    this.#clock = clock;
  }

  /** Resolves when an upload may handle that many bytes, at most those of a turn. */
  async take(bytes: number): Promise<void> {
    while (this.#rest !== undefined) await this.#rest;
    this.#left -= bytes;
    if (this.#left > 0) return;
    this.#rest = this.#restOfLoop().finally(() => {
      this.#left = TURN_BYTES;
      this.#rest = undefined;
    });
  }

  async #restOfLoop(): Promise<void> {
    const started = this.#clock.monotonic();
    await pause(REST_MS);
    if (this.#clock.monotonic() - started > REST_MS + LATE_MS) await pause(LONG_REST_MS);
  }
}

/** The turns of this node's uploads. */
export const loopTurns = perServer((ctx) => new LoopTurns(ctx));
