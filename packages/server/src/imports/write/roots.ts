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

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** Returns the root of a message; null for one in the channel itself. */
  of(message: Known): Root | null {
    const way: Known[] = [];
    for (let at: Known = message; ; ) {
      if (at.threadId === null || at.threadId === at.id) return at.id === message.id ? null : rootOf(at);
      way.push(at);
      const next = this.#find(at.threadId);
      if (next === null) return { id: at.threadId, place: null, channelId: message.channelId, senderId: null };
      const circle = way.findIndex(({ id }) => id === next.id);
      if (circle !== -1) return earliestOf(way.slice(circle), message);
      at = next;
    }
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

/** The earliest message of a circle is its root, which itself is in the channel. */
function earliestOf(circle: readonly Known[], message: Known): Root | null {
  const root = circle.reduce((one, other) => (other.place < one.place ? other : one));
  return root.id === message.id ? null : rootOf(root);
}
