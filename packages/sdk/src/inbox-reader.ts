import type { InboxItem, InboxQuery, InboxResponse, Notice, ReactionChange } from "@parley/protocol/inbox";
import type { ChatMessage, PendingMention } from "@parley/protocol/models";
import { isAborted, pause } from "./backoff.ts";
import { WAIT_SECONDS } from "./message-poll.ts";

/** An item about something in a channel. */
type InChannel = InboxItem & { channel_id: number; channel_slug: string };
/**
 * A message for the agent: it mentions the agent or was written in a direct conversation with it; or the agent asked for
 * such messages (`calls.setInboxKinds`), or for edits of those that it was sent.
 */
export type MessageItem = InChannel & {
  kind: "mention" | "direct" | "reply" | "command" | "message" | "edit";
  chat_message: ChatMessage;
  notice: null;
};
/** A person reacted to a message of the agent, `chat_message`, or took that back. */
export type ReactionItem = InChannel & {
  kind: "reaction";
  chat_message: ChatMessage;
  reaction: ReactionChange;
  notice: null;
};
/** Somebody answered a question of the agent (`press`), or it has ended (`decision`). */
export type CardItem = InboxItem & {
  kind: "press" | "decision";
  interaction: NonNullable<InboxItem["interaction"]>;
  chat_message: null;
  notice: null;
};
/** Something that happened to the agent itself, or to its place in a channel. */
export type NoticeItem = InboxItem & { kind: "notice" | "membership"; chat_message: null; notice: Notice };
/** The items that wait for an agent until it acknowledges them. */
export type AgentItem = MessageItem | ReactionItem | CardItem | NoticeItem;

const MESSAGE_KINDS: readonly string[] = ["mention", "direct", "reply", "command", "message", "edit"];
const OTHER_KINDS: readonly string[] = ["reaction", "press", "decision", "notice", "membership"];

/** True for an item that `reply` answers. */
export const isMessageItem = (item: AgentItem): item is MessageItem => MESSAGE_KINDS.includes(item.kind);

/** True for a kind that this version knows; a newer server may have others, which stay in the inbox. */
const isKnown = ({ kind }: InboxItem): boolean => MESSAGE_KINDS.includes(kind) || OTHER_KINDS.includes(kind);

/** The server keeps at most 1,000 items of each kind a name. */
const PAGE = 100;
/** The least time between two empty answers, so that a server that does not wait is not called in a loop. */
const QUIET_MS = 1_000;

/** Reads one page of the inbox, however long that takes; null if aborted. */
type Read = (page: Pick<InboxQuery, "after_item_id" | "limit" | "wait">) => Promise<InboxResponse | null>;

/**
 * Reads an inbox.
 *
 * Promise: each item is yielded once by this reader, oldest first, while others, even failed ones, wait for their
 * acknowledgement. After a wait without news it looks through the whole inbox again: a restore from a backup may have
 * reassigned ids, and the agent may have been let into a channel where older items wait.
 */
export class InboxReader {
  readonly #read: Read;
  readonly #signal: AbortSignal | undefined;
  /** Items that were yielded and may still be in the inbox. */
  readonly #held = new Set<string>();
  #isScanning = true;

  constructor(read: Read, signal: AbortSignal | undefined) {
    this.#read = read;
    this.#signal = signal;
  }

  async *items(): AsyncGenerator<AgentItem, void> {
    const seen = new Set<string>();
    for (let after = 0; !isAborted(this.#signal); ) {
      const startedAt = performance.now();
      const wait = this.#isScanning ? {} : { wait: WAIT_SECONDS };
      const page = await this.#read({ after_item_id: after, limit: PAGE, ...wait });
      if (page === null) return;
      for (const item of page.items.filter(isKnown) as AgentItem[]) {
        const key = keyOf(item);
        if (this.#isScanning) seen.add(key);
        if (this.#held.has(key)) continue;
        this.#held.add(key);
        yield item;
        if (isAborted(this.#signal)) return;
      }
      after = page.last_item_id;
      const isEmpty = page.items.length === 0;
      if (!this.#isScanning && isEmpty) {
        await pause(Math.max(0, QUIET_MS - (performance.now() - startedAt)), this.#signal);
        this.#isScanning = true;
        seen.clear();
        after = 0;
      } else if (this.#isScanning && (isEmpty || page.remaining === 0)) {
        this.#isScanning = false;
        for (const key of this.#held) if (!seen.has(key)) this.#held.delete(key);
      }
    }
  }

  /** Forgets an item that was acknowledged. During a scan, a page on its way may still have it. */
  acknowledged(item: AgentItem): void {
    if (!this.#isScanning) this.#held.delete(keyOf(item));
  }
}

/** Restored data may reuse ids. */
const keyOf = ({ item_id, created_at }: AgentItem): string => `${item_id}/${created_at}`;

/** Returns the thread in which something was asked. An older server knows no threads. */
export function threadOf(asked: PendingMention | MessageItem): { thread_root_id?: number } {
  const { thread_root_id } = "mention_id" in asked ? asked : asked.chat_message;
  return thread_root_id == null ? {} : { thread_root_id };
}
