import type { Clock } from "../../../clock.ts";
import type { RoomState } from "./scripts.ts";

/** How long an answer may stand in for one that Redis does not give in time. */
export const KEPT_MS = 10_000;
/** Users kept of all rooms together: a few megabytes. */
const USERS_MAX = 20_000;

interface Kept {
  state: RoomState;
  at: number;
}

/** The last readings of rooms, for the seconds in which Redis does not answer. It drops the oldest first. */
export class KeptRooms {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #rooms = new Map<string, Kept>();
  #users = 0;

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  keep(key: string, state: RoomState): void {
    this.#drop(key);
    this.#rooms.set(key, { state, at: this.#clock.monotonic() });
    this.#users += weight(state);
    for (const oldest of this.#rooms.keys()) {
      if (this.#users <= USERS_MAX) return;
      this.#drop(oldest);
    }
  }

  /** Returns the last reading; null if there is none that is young enough. */
  get(key: string): RoomState | null {
    const kept = this.#rooms.get(key);
    if (kept !== undefined && kept.at + KEPT_MS >= this.#clock.monotonic()) return kept.state;
    this.#drop(key);
    return null;
  }

  #drop(key: string): void {
    const kept = this.#rooms.get(key);
    if (kept === undefined) return;
    this.#rooms.delete(key);
    this.#users -= weight(kept.state);
  }
}

/** An empty room takes memory, too. */
const weight = ({ users }: RoomState): number => users.length + 1;
