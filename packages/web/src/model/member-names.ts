import type { ActorKind } from "@parley/protocol/values";
import { Store } from "../state/store.ts";

interface Named {
  kind: ActorKind;
  name: string;
}

/** In a larger channel not all members are suggested. */
const SUGGESTED = 1_000;
/** The list is read again if it is older than this. */
const FRESH_MS = 60_000;

/** The members of a channel, whether they are online or not, for the completion of names. They are read on demand. */
export class MemberNames {
  readonly all = new Store<readonly Named[]>([]);
  readonly #read: () => AsyncIterable<Named>;
  /** When the list was requested last. */
  #requestedAt = Number.NEGATIVE_INFINITY;

  constructor(read: () => AsyncIterable<Named>) {
    this.#read = read;
  }

  /** Reads the list, unless that was done lately. */
  async load(): Promise<void> {
    if (performance.now() - this.#requestedAt < FRESH_MS) return;
    this.#requestedAt = performance.now();
    try {
      const members: Named[] = [];
      for await (const { kind, name } of this.#read()) {
        members.push({ kind, name });
        if (members.length === SUGGESTED) break;
      }
      this.all.set(members);
    } catch {
      // The names known so far are suggested, and the next mention tries again.
      this.#requestedAt = Number.NEGATIVE_INFINITY;
    }
  }
}
