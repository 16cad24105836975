import type { AppContext } from "../context.ts";
import { hook } from "../hook.ts";

/** A committed message that mentions users or agents. */
export interface NamingMessage {
  id: number;
  channel_id: number;
  /** The seq of the message, or of the event of its edit. */
  seq: number;
}

/**
 * Receives, after the commit, each message of this node that mentions somebody and is new or edited. Listeners run on
 * the path of a send, so a listener must only note what it heard. A crash forgets what was noted: what must happen
 * for certain follows the event log (`consumeMessages`).
 */
export const onNaming = hook<(message: NamingMessage) => void>();

/** Calls the listeners if the message mentions somebody. */
export function tellNaming(ctx: AppContext, row: NamingMessage & { mentions: string | null }): void {
  if (row.mentions === null) return;
  for (const listener of onNaming.of(ctx)) listener(row);
}
