import type { AppContext } from "../context.ts";
import { newestMessageId } from "./erase.store.ts";
import { messagesOf } from "./own-messages.store.ts";
import { markedRecords } from "./own-reactions.ts";

/** Rows that one page looks at. No index says whose a message is: it would cost every send, and this is rare. */
const ROWS = 1_000;

/**
 * All messages of a user as records, oldest first, in pages that may be empty: a walk over all messages there are, a few milliseconds at a
 * time, up to the one that is the newest when it begins.
 */
export async function* ownMessages(ctx: AppContext, userId: number): AsyncGenerator<string[]> {
  const newest = await newestMessageId(ctx.db);
  for (let after = 0; after < newest; after += ROWS) {
    const rows = await messagesOf(ctx.db, userId, after, Math.min(after + ROWS, newest));
    yield await markedRecords(ctx, { kind: "user", id: userId }, rows);
    // A database that answers at once would leave nobody else a turn.
    await new Promise(setImmediate);
  }
}
