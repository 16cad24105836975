import type { HistoryQuery, HistoryResponse } from "@parley/protocol/messages";
import type { ThreadQuery, ThreadResponse } from "@parley/protocol/thread-calls";
import { ParleyError } from "@parley/sdk";

/** The server ends a page early where there are many replies. Shorter pages than this are filled up, */
const ENOUGH = 20;
/** by this many requests at most. */
const TRIES = 10;

/** Fetches a page of a channel without the replies that are only in threads. It fills the window, if the channel does. */
export async function collapsedPage(
  fetch: (query: HistoryQuery) => Promise<HistoryResponse>,
  query: HistoryQuery,
): Promise<HistoryResponse> {
  let page = await fetch({ ...query, threads: "collapse" });
  for (let tries = 1; tries < TRIES && page.has_more && page.messages.length < ENOUGH; tries += 1) {
    const { limit } = query;
    if (query.around !== undefined) break;
    if (query.after_seq !== undefined) {
      if (page.next_after_seq == null) break;
      const next = await fetch({ limit, after_seq: page.next_after_seq, threads: "collapse" });
      page = joined(page, next, next);
    } else {
      if (page.next_before === null) break;
      const older = await fetch({ limit, before: page.next_before, threads: "collapse" });
      page = joined(older, page, older);
    }
  }
  return page;
}

/** Returns two adjacent pages as one, which goes on where `last` does. It is as current as the older of both. */
function joined<P extends HistoryResponse>(first: P, second: P, last: P): P {
  const messages = [...first.messages, ...second.messages];
  return { ...last, messages, last_seq: Math.min(first.last_seq, second.last_seq) };
}

/** Fetches a page of a thread; `around` is the id of a reply. A reply that is not in the thread leads to the end. */
export async function threadPage(
  fetch: (query: ThreadQuery) => Promise<ThreadResponse>,
  { limit, around, before, after_seq }: HistoryQuery,
): Promise<ThreadResponse> {
  if (around === undefined) return fetch({ limit, before, after_seq });
  try {
    const newer = await fetch({ limit, after: around });
    const next = newer.messages[0];
    const older = await fetch(next === undefined ? { limit } : { limit, before: next.id });
    return joined(older, newer, newer);
  } catch (error) {
    if (error instanceof ParleyError && error.code === "invalid_cursor") return fetch({ limit });
    throw error;
  }
}
