import { perServer } from "../../context.ts";

const KEPT_MAX = 20_000;

/**
 * The newest messages whose notifications this node has made promptly. The consumer passes over them: a notification
 * that was made and then dropped, because its list was full, would come back as the newest.
 */
class MadePromptly {
  readonly #ids = new Set<number>();

  has(messageId: number): boolean {
    return this.#ids.has(messageId);
  }

  /** Call it when they are committed. */
  add(messageIds: Iterable<number>): void {
    for (const id of messageIds) this.#ids.add(id);
    const over = Math.max(0, this.#ids.size - KEPT_MAX);
    for (const id of [...this.#ids.values().take(over)]) this.#ids.delete(id);
  }
}

export const madePromptly = perServer(() => new MadePromptly());
