import { type AppContext, perServer } from "../context.ts";

/** A committed message that mentions users or agents. */
export interface NamingMessage {
  id: number;
  channel_id: number;
}

type Listener = (message: NamingMessage) => void;

/**
 * Who is called, after the commit, with each message of this node that mentions somebody and is new or edited. Listeners
 * run on the path of a send, so a listener must only note what it heard. A crash forgets what was noted: what must happen
 * for certain follows the event log (`consumeMessages`).
 */
export const namingListeners = perServer((): Set<Listener> => new Set());

/** Calls the listeners if the message mentions somebody. */
export function tellNaming(ctx: AppContext, row: NamingMessage & { mentions: string | null }): void {
  if (row.mentions === null) return;
  for (const listener of namingListeners(ctx)) listener(row);
}
