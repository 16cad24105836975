import type { ReactNode } from "react";
import { Store } from "./store.ts";

export interface Notice {
  id: number;
  kind: "info" | "error";
  text: ReactNode;
}

const SHOWN_MS = 6_000;

/** Short notices that disappear by themselves. */
export class Notices {
  readonly all = new Store<readonly Notice[]>([]);
  #ids = 0;

  say(text: string, kind?: Notice["kind"]): void {
    const id = this.show(text, kind);
    setTimeout(() => this.dismiss(id), SHOWN_MS);
  }

  /** Shows a notice, which may have buttons, until it is dismissed; returns its id. */
  show(text: ReactNode, kind: Notice["kind"] = "info"): number {
    this.#ids += 1;
    const id = this.#ids;
    // Repeating a notice replaces it.
    this.all.change((all) => [...all.filter((notice) => notice.text !== text), { id, kind, text }].slice(-3));
    return id;
  }

  dismiss(id: number): void {
    this.all.change((all) => (all.some((notice) => notice.id === id) ? all.filter((notice) => notice.id !== id) : all));
  }
}
