import type { EventData } from "@parley/protocol/events";
import type { Reaction } from "@parley/protocol/records";

/**
 * A message's reactions after a `reaction:update`. The event is the same for everybody, so its `me` says nothing; here it is kept as it was,
 * and set for what one did oneself. `self`: one's username, or agent's id; null for guests.
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
