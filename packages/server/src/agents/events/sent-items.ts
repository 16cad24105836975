import { itemIdOf } from "../../messages/inbox/item-frames.ts";

/** Items remembered per stream; an agent has at most so many pending under one name. */
const KEPT = 1_000;

/** The items that a stream has sent last, so that an item which is read again is not sent again. */
export class SentItems {
  /** In order of sending: ids of items, or whole frames that carry none. */
  readonly #keys = new Set<string>();

  add(frame: string): void {
    this.#keys.add(keyOf(frame));
    if (this.#keys.size <= KEPT) return;
    for (const oldest of this.#keys) {
      this.#keys.delete(oldest);
      return;
    }
  }

  has(frame: string): boolean {
    return this.#keys.has(keyOf(frame));
  }
}

const keyOf = (frame: string): string => itemIdOf(frame) ?? frame;
