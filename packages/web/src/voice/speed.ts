import { readStored, writeStored } from "../state/local-storage.ts";
import { Store } from "../state/store.ts";

/** How fast voice notes can be played. */
export const SPEEDS: readonly number[] = [1, 1.25, 1.5, 2];
const NAME = "voice-speed";

const stored = Number(readStored(NAME));

/** The speed of all voice notes in this browser. */
export const speed = new Store(SPEEDS.includes(stored) ? stored : 1);

/** Takes the next speed; after the last one the first. */
export function nextSpeed(): void {
  const next = SPEEDS[(SPEEDS.indexOf(speed.get()) + 1) % SPEEDS.length] ?? 1;
  speed.set(next);
  writeStored(NAME, String(next));
}
