import type { AgentMessagesQuery, AgentMessagesResponse } from "@parley/protocol/agents";
import type { ChatMessage } from "@parley/protocol/models";

/** Seconds that the server holds a poll open. */
export const WAIT_SECONDS = 30;
const PAGE = 200;

/** Reads a page of the channel, however long that takes; null if aborted. */
type Read = (page: Omit<AgentMessagesQuery, "channel_slug">) => Promise<AgentMessagesResponse | null>;

/** Yields a channel's messages after a seq, then new ones; see `AgentClient.messages`. */
export async function* pollMessages(read: Read, afterSeq: number): AsyncGenerator<ChatMessage, void> {
  let epoch: string | undefined;
  let last: ChatMessage | undefined;
  for (let after_seq = afterSeq; ; ) {
    const page = await read({ after_seq, wait: WAIT_SECONDS, limit: PAGE });
    if (page === null) return;
    const isOtherData = epoch !== undefined && page.epoch !== epoch;
    epoch = page.epoch;
    if (isOtherData) {
      const found = await placeOf(read, last);
      if (found === null) return;
      after_seq = found;
      continue;
    }
    for (const message of page.messages) {
      last = message;
      yield message;
    }
    after_seq = page.next_after_seq ?? after_seq;
    if (last !== undefined || after_seq === 0) continue;
    // `afterSeq` may come from before a restore and exceed `last_seq`. Then start at `last_seq`.
    after_seq = Math.min(after_seq, page.last_seq);
    // Its timestamp locates the same position in restored data.
    last = await newestUpTo(read, after_seq, epoch);
  }
}

async function newestUpTo(read: Read, upTo: number, epoch: string): Promise<ChatMessage | undefined> {
  const page = await read({ limit: 1 });
  return page?.epoch === epoch ? page.messages.find(({ seq }) => seq <= upTo) : undefined;
}

/**
 * Returns the seq in the current data after which every message is newer than the last one read: everything in a backup
 * is older than messages sent after it. null if aborted.
 */
async function placeOf(read: Read, last: ChatMessage | undefined): Promise<number | null> {
  const isRead = ({ created_at, seq }: ChatMessage) =>
    last !== undefined && (created_at < last.created_at || (created_at === last.created_at && seq <= last.seq));
  for (let before: number | undefined; ; ) {
    const page = await read(before === undefined ? { limit: PAGE } : { limit: PAGE, before });
    if (page === null) return null;
    const known = page.messages.findLast(isRead);
    if (known !== undefined) return known.seq;
    if (page.next_before == null) return 0;
    before = page.next_before;
  }
}
