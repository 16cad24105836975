import type { ForwardsResponse } from "@parley/protocol/forwards";
import type { AppContext } from "../context.ts";
import { fail } from "../errors.ts";
import type { Identity } from "../http/identity.ts";
import { readableRecords } from "../messages/readable-records.ts";
import { forwardsOf } from "./forwards.store.ts";

/**
 * Returns the sources of those forwarded messages that the caller may read now, if they may also read the source
 * (protocol §13.15). Where they may not, the answer is as for a message that is not forwarded, so that nobody learns of
 * a channel. A site level is not enough: a page asks for what it shows, and each such read would be audited. Errors:
 * `session_required`.
 */
export async function sourcesFor(
  ctx: AppContext,
  caller: Identity,
  messageIds: readonly number[],
): Promise<Omit<ForwardsResponse, "success">> {
  if (caller.kind === "guest" && !ctx.config.guestRead) throw fail("session_required");
  const rows = await forwardsOf(ctx.db, messageIds);
  const ids = rows.flatMap(({ message_id, source_message_id }) => [message_id, source_message_id]);
  const records = await readableRecords(ctx, caller, [...new Set(ids)], { byLevel: false });
  return {
    sources: rows.flatMap(({ message_id, source_message_id }) => {
      const chat_message = records.get(source_message_id);
      return chat_message === undefined || !records.has(message_id) ? [] : [{ message_id, chat_message }];
    }),
  };
}
