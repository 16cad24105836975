import type { Clock } from "../clock.ts";
import { Distribution } from "./distribution.ts";

const WAITS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];

/** How a node of a cluster keeps up with what the others take away. */
export class ControlMeter {
  /** Seconds that changes waited until all nodes had handled them. */
  readonly waits = new Distribution(WAITS);
  /** Changes that all nodes had handled when they were answered. */
  confirmed = 0;
  /** Changes that were answered although a node had not confirmed. */
  unconfirmed = 0;
  /** Requests, commands and commits refused because the node did not trust its memory. */
  refusals = 0;
  /** Monotonic time at which the last good reading of the control log began; null: there was none. */
  readAt: number | null = null;
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Seconds since the last good reading began; null on a lone server. */
  get age(): number | null {
    return this.readAt === null ? null : (this.#clock.monotonic() - this.readAt) / 1_000;
  }

  /** Notes how long a change waited for the confirmations. */
  waited(seconds: number, isConfirmed: boolean): void {
    this.waits.add(seconds);
    if (isConfirmed) this.confirmed += 1;
    else this.unconfirmed += 1;
  }
}
