import { readStored, writeStored } from "./local-storage.ts";

const NAME = "last-channel";

/** The channel that was open last in this browser, where the start page leads. */
export class LastChannel {
  /** Read once: another page of the browser must not change what this one shows. */
  #id = Number(readStored(NAME)) || null;

  get id(): number | null {
    return this.#id;
  }

  set(id: number): void {
    if (id !== this.#id) writeStored(NAME, String(id));
    this.#id = id;
  }

  forget(): void {
    writeStored(NAME, null);
    this.#id = null;
  }
}
