import type { Emoji } from "@parley/protocol/emoji";
import { CustomEmoji } from "@parley/sdk/groups";
import type { Parley } from "../session/parley.ts";
import { useParley } from "../session/parley-context.ts";
import { retryUntilDone } from "../state/retry.ts";
import { Store, useStore } from "../state/store.ts";

type ByName = ReadonlyMap<string, Emoji>;

const NONE: ByName = new Map();

/**
 * The emoji of the server, by their names. They are read when the page first shows a name that may be one, and then
 * follow what people add and delete.
 */
class ServerEmoji {
  readonly all = new Store(NONE);
  readonly #parley: Parley;
  #stop = () => {};
  #changes = 0;
  /** Counts the reads: an answer that a later read has overtaken is not used. */
  #reads = 0;
  /** The user for whom they were read. */
  #self: string | null = null;

  constructor(parley: Parley) {
    this.#parley = parley;
    parley.live.onEvent(({ event, data }) => {
      if (event === "emoji:update") this.#put(data.name, data.emoji);
      // Events may have been missed.
      else if (event === "session:ready") this.#read();
    });
    // A guest may not be allowed to read them.
    parley.session.subscribe(() => this.#self !== parley.self && this.#read());
    this.#read();
  }

  #put(name: string, emoji: Emoji | null): void {
    this.#changes += 1;
    this.all.change((known) => {
      const changed = new Map(known);
      if (emoji === null) changed.delete(name);
      else changed.set(name, emoji);
      return changed;
    });
  }

  #read(): void {
    const { self, client } = this.#parley;
    this.#stop();
    this.#self = self;
    const number = ++this.#reads;
    const read = async () => {
      let changes: number;
      let found: ByName;
      // The list may lack a change that came meanwhile.
      do {
        changes = this.#changes;
        const { emoji } = await client.group(CustomEmoji).list();
        found = new Map(emoji.map((each) => [each.name, each]));
      } while (changes !== this.#changes);
      if (this.#reads === number) this.all.set(found);
    };
    // Without them their names are shown; what else the page does is not affected.
    this.#stop = retryUntilDone(read, () => {});
  }
}

const made = new WeakMap<Parley, ServerEmoji>();

/** Returns the emoji of the server, which are loaded when this is first called. */
export function serverEmoji(parley: Parley): Store<ByName> {
  const known = made.get(parley) ?? new ServerEmoji(parley);
  made.set(parley, known);
  return known.all;
}

/** Returns the emoji of the server. */
export const useServerEmoji = (): ByName => useStore(serverEmoji(useParley()));

/** Returns an emoji of the server as it is written in a text. */
export const written = (name: string): string => `:${name}:`;

/** Returns the name in what the picker gives for an emoji of the server; an emoji of Unicode is returned as it is. */
export const reactionIn = (picked: string): string => /^:(.+):$/.exec(picked)?.[1] ?? picked;

/** Returns those whose names have these letters: those that begin with them, and the others. */
export function namedLike<T extends { name: string }>(all: readonly T[], query: string): [begun: T[], others: T[]] {
  const wanted = query.toLowerCase().replaceAll(/[\s-]/g, "_");
  const places = all.flatMap((each) => {
    const at = each.name.replaceAll("-", "_").indexOf(wanted);
    return at === -1 ? [] : { each, isBegun: at <= 1 };
  });
  const those = (isBegun: boolean) => places.filter((place) => place.isBegun === isBegun).map(({ each }) => each);
  return [those(true), those(false)];
}
