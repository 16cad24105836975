import { readStored, writeStored } from "../../state/local-storage.ts";

/** Ids of messages that were announced by any page of this browser, or pushed to it. */
const NAME = "announced";
const MAX = 200;

/** Returns which of these messages were not announced, and remembers them as announced. */
export function takeUnannounced<T extends { id: number }>(messages: readonly T[]): readonly T[] {
  const known = ids();
  const fresh = messages.filter(({ id }) => !known.includes(id));
  if (fresh.length > 0) writeStored(NAME, JSON.stringify([...known, ...fresh.map(({ id }) => id)].slice(-MAX)));
  return fresh;
}

export const isAnnounced = (messageId: number): boolean => ids().includes(messageId);

function ids(): number[] {
  try {
    const stored: unknown = JSON.parse(readStored(NAME) ?? "[]");
    return Array.isArray(stored) ? stored.filter((id) => typeof id === "number") : [];
  } catch {
    // Another version of the page may have stored something else.
    return [];
  }
}
