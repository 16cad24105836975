import { byId, nameOf } from "./dom.ts";

/** Who types is forgotten after this long. */
const FORGET_MS = 6_000;

/** "ana and ben are typing". */
export class TypingLine {
  readonly #line = byId("typing", HTMLParagraphElement);
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>();

  set(name: string, isTyping: boolean): void {
    clearTimeout(this.#timers.get(name));
    this.#timers.delete(name);
    if (isTyping)
      this.#timers.set(
        name,
        setTimeout(() => this.set(name, false), FORGET_MS),
      );
    this.#draw();
  }

  clear(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
    this.#draw();
  }

  #draw(): void {
    const names = [...this.#timers.keys()];
    if (names.length > 3) this.#line.textContent = `${names.length} are typing…`;
    else {
      const parts = names.flatMap((name, n) => [n === 0 ? "" : n === names.length - 1 ? " and " : ", ", nameOf(name)]);
      if (names.length > 0) parts.push(names.length === 1 ? " is typing…" : " are typing…");
      this.#line.replaceChildren(...parts);
    }
  }
}
