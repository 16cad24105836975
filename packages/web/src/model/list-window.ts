import type { ChatMessage } from "@parley/protocol/models";

/**
 * Returns the part of `next` to show after `before`, so that the list changes at only one end. The list infers from its
 * length how much was added or removed there, and keeps its scroll position by that. The rest follows at the next
 * render.
 */
export function changeAtOneEnd<M extends Pick<ChatMessage, "seq">>(
  before: readonly M[],
  next: readonly M[],
): readonly M[] {
  const [oldFirst, oldLast] = [before[0]?.seq, before.at(-1)?.seq];
  const [first, last] = [next[0]?.seq, next.at(-1)?.seq];
  if (oldFirst === undefined || oldLast === undefined || first === undefined || last === undefined) return next;
  // Another place in the channel: the two ranges do not overlap.
  if (first > oldLast || last < oldFirst || first === oldFirst) return next;
  if (last > oldLast) return next.slice(0, next.findLastIndex(({ seq }) => seq <= oldLast) + 1);
  if (last < oldLast && first < oldFirst) return next.slice(next.findIndex(({ seq }) => seq >= oldFirst));
  return next;
}
