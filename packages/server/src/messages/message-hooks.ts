import type { AppContext } from "../context.ts";
import type { MessageRow } from "../event-log/message-json.ts";
import { hook } from "../hook.ts";
import { findMessage, updateMessage } from "./messages.store.ts";

/**
 * Follows each change of what a stored message says, in the transaction that makes it: an edit, another description of a
 * file, a deletion. `row` is the message after the change.
 */
export const onMessageChange = hook<(ctx: AppContext, row: MessageRow) => Promise<void>>();

/** Runs what follows a change. */
export async function messageChanged(ctx: AppContext, row: MessageRow): Promise<void> {
  for (const act of onMessageChange.of(ctx)) await act(ctx, row);
}

/** Returns a message as it is stored; undefined: it is gone. It decides on no right. */
export const storedMessage = (ctx: AppContext, id: number): Promise<MessageRow | undefined> => findMessage(ctx.db, id);

/** Changes a column in which a feature keeps what a message shows, under the lock of the channel's row. */
export const changeStored = (ctx: AppContext, id: number, change: Partial<MessageRow>): Promise<void> =>
  updateMessage(ctx.db, id, change);

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
