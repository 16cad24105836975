import type { AppContext } from "../../context.ts";
import { newestMessageId } from "../erase.store.ts";
import { markedRecords } from "../reactions/own-reactions.ts";
import { messagesOf } from "./own-messages.store.ts";

/** Rows scanned per page. There is no index on the author: it would slow down every send, and this is rare. */
const ROWS = 1_000;

/**
 * Yields all messages of a user as records, oldest first, in pages that may be empty. Scans all messages up to the
 * newest at the start, a few milliseconds at a time.
 */
export async function* ownMessages(ctx: AppContext, userId: number): AsyncGenerator<string[]> {
  const newest = await newestMessageId(ctx.db);
  for (let after = 0; after < newest; after += ROWS) {
    const rows = await messagesOf(ctx.db, userId, after, Math.min(after + ROWS, newest));
    yield await markedRecords(ctx, { kind: "user", id: userId }, rows);
    // A synchronous database would otherwise never yield to the event loop.
    await new Promise(setImmediate);
  }
}
