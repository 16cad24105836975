import type { ChatMessage } from "@parley/protocol/records";

/**
 * What of a stretch of messages to show after another one, so that the list changes at one of its ends only: the list knows by its length
 * how much has come or gone there, and keeps its place by that. The rest is for the next drawing.
 */
export function atOneEnd<M extends Pick<ChatMessage, "seq">>(before: readonly M[], next: readonly M[]): readonly M[] {
  const [oldFirst, oldLast] = [before[0]?.seq, before.at(-1)?.seq];
  const [first, last] = [next[0]?.seq, next.at(-1)?.seq];
  if (oldFirst === undefined || oldLast === undefined || first === undefined || last === undefined) return next;
  // Another place in the channel: nothing is in both.
  if (first > oldLast || last < oldFirst || first === oldFirst) return next;
  if (last > oldLast) return next.slice(0, next.findLastIndex(({ seq }) => seq <= oldLast) + 1);
  if (last < oldLast && first < oldFirst) return next.slice(next.findIndex(({ seq }) => seq >= oldFirst));
  return next;
}
