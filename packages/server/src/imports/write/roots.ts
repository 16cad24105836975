import { LRUCache } from "lru-cache";
import type { Stage, StagedMessage } from "../stage.ts";

/** The message that began a thread, as its replies need it. */
export interface Root {
  id: string;
  /** null: the source does not have the message. */
  place: number | null;
  channelId: string;
  senderId: string | null;
}

type Known = Pick<StagedMessage, "id" | "place" | "channelId" | "senderId" | "threadId">;

/** Messages that were looked at last: replies are near to each other. */
const KEPT = 20_000;

/** Finds the roots of replies: a thread has one level, whatever the source says (protocol §14.2). */
export class Roots {
  readonly #stage: Stage;
  readonly #kept = new LRUCache<string, { found: Known | null }>({ max: KEPT });
  /** The roots of replies, so that a long chain of them is walked once and not once for each. */
  readonly #roots = new LRUCache<string, Root>({ max: KEPT });

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** Returns the root of a message; null for one in the channel itself. */
  of(message: Known): Root | null {
    const found = this.#walk(message);
    if (found.id === message.id) return null;
    // Nobody knows in which channel an absent message was.
    return found.place === null ? { ...found, channelId: message.channelId } : found;
  }

  /** Returns the first message of a thread; it is the message itself if that began one, or is in none. */
  #walk(message: Known): Root {
    const way = new Map<string, Known>();
    let root: Root | undefined;
    for (let at = message; root === undefined; ) {
      const known = this.#roots.get(at.id);
      const next = at.threadId === null || at.threadId === at.id ? at : this.#find(at.threadId);
      if (known !== undefined) root = known;
      else if (next === at) root = rootOf(at);
      else if (next === null) root = { id: at.threadId ?? "", place: null, channelId: "", senderId: null };
      else if (way.has(next.id)) root = earliestOf([...way.values(), at], next);
      else {
        way.set(at.id, at);
        at = next;
      }
    }
    for (const id of way.keys()) this.#roots.set(id, root);
    return root;
  }

  #find(id: string): Known | null {
    const kept = this.#kept.get(id);
    if (kept !== undefined) return kept.found;
    const message = this.#stage.message(id);
    const found = message === null ? null : knownOf(message);
    this.#kept.set(id, { found });
    return found;
  }

  /** Returns the place of a message in the stage; null if it is not there. */
  placeOf(id: string): number | null {
    return this.#find(id)?.place ?? null;
  }
}

const knownOf = ({ id, place, channelId, senderId, threadId }: StagedMessage): Known => ({
  id,
  place,
  channelId,
  senderId,
  threadId,
});

const rootOf = ({ id, place, channelId, senderId }: Known): Root => ({ id, place, channelId, senderId });

/** The earliest message of a circle is its root, which itself is in the channel. The circle begins in `way` at `first`. */
function earliestOf(way: readonly Known[], first: Known): Root {
  const circle = way.slice(way.findIndex(({ id }) => id === first.id));
  return rootOf(circle.reduce((one, other) => (other.place < one.place ? other : one)));
}
