import type { AppContext } from "../context.ts";
import type { MessageRow } from "../event-log/message-json.ts";
import { hook } from "../hook.ts";

/**
 * Follows each change of what a stored message says, in the transaction that makes it: an edit, another description of a
 * file, a deletion. `row` is the message after the change.
 */
export const onMessageChange = hook<(ctx: AppContext, row: MessageRow) => Promise<void>>();

/** Runs what follows a change. */
export async function messageChanged(ctx: AppContext, row: MessageRow): Promise<void> {
  for (const act of onMessageChange.of(ctx)) await act(ctx, row);
}
