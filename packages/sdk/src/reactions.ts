import type { EventData } from "@parley/protocol/events";
import type { Reaction } from "@parley/protocol/models";

/**
 * Returns a message's reactions after a `reaction:update`. The event is the same for everybody, so its `me` is
 * meaningless; this keeps the previous `me`, and sets it for the user's own acts. `self`: the user's name, or the
 * agent's id; null for guests.
 */
export function reactionsAfter(
  before: readonly Reaction[],
  event: EventData<"reaction:update">,
  self: string | number | null,
): Reaction[] {
  const own = new Set(before.flatMap(({ reaction, me }) => (me ? [reaction] : [])));
  if (self !== null && (self === event.username || self === event.agent_id)) {
    if (event.added) own.add(event.reaction);
    else own.delete(event.reaction);
  }
  return event.reactions.map(({ reaction, count }) => ({ reaction, count, me: own.has(reaction) }));
}
