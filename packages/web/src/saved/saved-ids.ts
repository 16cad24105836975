import { Saved } from "@parley/sdk/groups";
import type { Parley } from "../session/parley.ts";
import { retryUntilDone } from "../state/retry.ts";
import { Store } from "../state/store.ts";

const NONE: ReadonlySet<number> = new Set();

/** The ids of the messages that the user has saved. They follow what other devices of the user save. */
class SavedIds {
  readonly all = new Store(NONE);
  readonly #parley: Parley;
  #stop = () => {};
  /** The user whose ids are read. */
  #self: string | null = null;

  constructor(parley: Parley) {
    this.#parley = parley;
    parley.live.onEvent(({ event, data }) => {
      if (event === "saved:update") this.put(data.message_id, data.saved_at !== null);
      // Events may have been missed.
      else if (event === "session:ready") this.#read();
    });
    parley.session.subscribe(() => this.#self !== parley.self && this.#read());
    this.#read();
  }

  put(messageId: number, isSaved: boolean): void {
    this.all.change((ids) => {
      if (ids.has(messageId) === isSaved) return ids;
      const changed = new Set(ids);
      if (isSaved) changed.add(messageId);
      else changed.delete(messageId);
      return changed;
    });
  }

  #read(): void {
    const { self, client } = this.#parley;
    this.#stop();
    if (self !== this.#self) this.all.set(NONE);
    this.#self = self;
    if (self === null) return;
    const read = async () => {
      const { message_ids } = await client.group(Saved).ids();
      if (this.#parley.self === self) this.all.set(new Set(message_ids));
    };
    // Without them no message has a mark; what else the page does is not affected.
    this.#stop = retryUntilDone(read, () => {});
  }
}

const made = new WeakMap<Parley, SavedIds>();

/** Returns the saved messages of the page's user. */
export function savedIds(parley: Parley): SavedIds {
  const known = made.get(parley) ?? new SavedIds(parley);
  made.set(parley, known);
  return known;
}

/** Saves a message, or removes it from the saved ones. */
export async function toggleSaved(parley: Parley, messageId: number): Promise<void> {
  const ids = savedIds(parley);
  const isSaved = !ids.all.get().has(messageId);
  const saved = parley.client.group(Saved);
  await (isSaved ? saved.add(messageId) : saved.remove(messageId));
  ids.put(messageId, isSaved);
}
