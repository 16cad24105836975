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
  /** The changes since the ids were requested, because the answer may be older. null: nothing is requested. */
  #late: Map<number, boolean> | null = null;
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
    this.#late?.set(messageId, isSaved);
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
    this.#late = null;
    if (self === null) return;
    const read = async () => {
      const late = new Map<number, boolean>();
      this.#late = late;
      const { message_ids } = await client.group(Saved).ids();
      // Another read has begun since, perhaps for another user.
      if (this.#late !== late) return;
      this.#late = null;
      this.all.set(new Set(message_ids));
      for (const [id, isSaved] of late) this.put(id, isSaved);
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
