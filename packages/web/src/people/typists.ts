import { Store } from "../app/store.ts";

/** Who has said nothing of it for so long types no more. */
const FADES_MS = 6_000;

/** Who is typing in a channel. */
export class Typists {
  readonly names = new Store<readonly string[]>([]);
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>();

  set(name: string, isTyping: boolean): void {
    clearTimeout(this.#timers.get(name));
    if (isTyping) {
      this.#timers.set(
        name,
        setTimeout(() => this.set(name, false), FADES_MS),
      );
    } else if (!this.#timers.delete(name)) return;
    this.names.set([...this.#timers.keys()]);
  }

  clear(): void {
    for (const name of [...this.#timers.keys()]) this.set(name, false);
  }
}
