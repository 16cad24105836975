import { readStored, writeStored } from "./local-storage.ts";

const NAME = "last-channel";

/** The channel that was open last in this browser, where the start page leads. */
export class LastChannel {
  /**
   * The one from before this page was opened: on one page, the start page stays the same channel, so that the back
   * button leads there.
   */
  #id = Number(readStored(NAME)) || null;

  get id(): number | null {
    return this.#id;
  }

  /** Stores the channel for the next page. */
  keep(id: number): void {
    writeStored(NAME, String(id));
  }

  forget(): void {
    writeStored(NAME, null);
    this.#id = null;
  }
}
