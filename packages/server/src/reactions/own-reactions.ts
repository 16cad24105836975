import type { ChatMessage } from "@parley/protocol/models";
import type { AppContext } from "../context.ts";
import type { Actor, Differing } from "../messages/own-fields.ts";
import { reactionsBy } from "./reactions.store.ts";

/** Reads which reactions are the reader's own: `me` is true for them, and false in the records that all share. */
export async function ownReactions(ctx: AppContext, reader: Actor, { reactedIds }: Differing) {
  const own = reactedIds.length === 0 ? [] : await reactionsBy(ctx.db, reader, reactedIds);
  if (own.length === 0) return null;
  const given = new Set(own.map(({ message_id, reaction }) => `${message_id} ${reaction}`));
  return ({ id, reactions }: ChatMessage): void => {
    for (const kind of reactions) kind.me = given.has(`${id} ${kind.reaction}`);
  };
}
