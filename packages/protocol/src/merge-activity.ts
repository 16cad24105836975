/** Acts of one message, and the characters of each text in them (protocol §16.4). */
export const ACTIVITY_MAX = 50;
export const ACTIVITY_TEXT_MAX = 200;

/**
 * Merges acts by their ids: one that is known changes in its place, another one follows. Beyond 50 the oldest are
 * dropped. Server and readers do the same, so that both have the same list.
 */
export function mergeActivity<A extends { id: string }>(held: readonly A[], acts: readonly A[]): A[] {
  const byId = new Map(held.map((act) => [act.id, act]));
  for (const act of acts) byId.set(act.id, { ...byId.get(act.id), ...act });
  return [...byId.values()].slice(-ACTIVITY_MAX);
}
