import type { HistoryResponse } from "@parley/protocol/messages";
import type { ChatMessage } from "@parley/protocol/models";
import type { Thread } from "@parley/protocol/threads";
import { type ChannelEvent, reactionsAfter } from "@parley/sdk";
import { CLOCKS_MS } from "./clocks.ts";
import { threadAfter, toldThread } from "./threads/thread-rules.ts";

/** Limits of loaded messages: while the user is at the end, and anywhere. */
export const KEPT_AT_END = 400;
export const KEPT = 800;
/** Events kept for pages that are still being fetched. */
const REMEMBERED = 1_000;

type Page = Pick<HistoryResponse, "messages" | "last_seq">;

/** Returns a message without what is shown below its text. */
const withoutAdded = ({
  components: _,
  interaction: __,
  poll: ___,
  previews: ____,
  ...message
}: ChatMessage): ChatMessage => message;

/** Returns the poll of an event. Events are the same for all users; only the local copy knows the user's own votes. */
const toldPoll = (told: ChatMessage["poll"], known: ChatMessage["poll"]): Pick<ChatMessage, "poll"> =>
  told === undefined ? {} : { poll: { ...told, my_votes: known?.my_votes ?? null } };

/**
 * A contiguous range of a channel's messages, kept up to date by events.
 *
 * Promise: given every event of the channel in order, and pages of history in any order of arrival, it shows each message
 * once, in order of `seq`, in its state after the newest event. A page is current up to its `last_seq`; remembered events
 * after that are applied to it. `replace`, `prepend` and `append` return false if the remembered events do not reach back
 * that far: then fetch the page again. Messages that are not shown here, such as replies in threads, are counted in their
 * root's thread.
 */
export class Timeline {
  readonly #isShown: (message: ChatMessage) => boolean;
  #messages: ChatMessage[] = [];
  #recent: ChannelEvent[] = [];
  /** The seq of the last applied event; null: none yet. */
  #seq: number | null = null;
  /** The `last_seq` of the newest page. */
  #pageSeq = 0;
  hasOlder = false;
  hasNewer = false;
  /** The user whose reactions are marked as "mine". */
  self: string | null = null;

  /** `isShown`: whether a new message belongs to this list; pages hold no others. */
  constructor(isShown: (message: ChatMessage) => boolean = () => true) {
    this.#isShown = isShown;
  }

  get messages(): readonly ChatMessage[] {
    return this.#messages;
  }

  /** The channel has no message up to this seq that is newer than the newest one here; 0: newer ones are not loaded. */
  get endSeq(): number {
    return this.hasNewer ? 0 : Math.max(this.#pageSeq, this.#seq ?? 0);
  }

  /** Starts a series of events after this seq. */
  begin(seq: number): void {
    this.#seq = seq;
    this.#recent = [];
  }

  /** Applies an event; returns true if anything shown has changed. */
  apply(event: ChannelEvent): boolean {
    this.#seq = event.data.seq;
    this.#recent.push(event);
    if (this.#recent.length > REMEMBERED * 2) this.#recent.splice(0, REMEMBERED);
    return this.#apply(event);
  }

  /** Replaces all messages by this page. */
  replace(page: Page, edges: { hasOlder: boolean; hasNewer: boolean }): boolean {
    if (!this.#knowsSince(page)) return false;
    this.#messages = [...page.messages];
    this.hasOlder = edges.hasOlder;
    this.hasNewer = edges.hasNewer;
    this.#replay(page);
    return true;
  }

  /** Adds a page before the oldest message. Trims the newest messages if there are too many. */
  prepend(page: Page, hasOlder: boolean): boolean {
    if (!this.#knowsSince(page)) return false;
    const oldest = this.#messages[0]?.seq ?? Number.POSITIVE_INFINITY;
    this.#messages.unshift(...page.messages.filter(({ seq }) => seq < oldest));
    this.hasOlder = hasOlder;
    if (this.#messages.length > KEPT) {
      this.#messages.length = KEPT;
      this.hasNewer = true;
    }
    this.#replay(page);
    return true;
  }

  /** Adds a page after the newest message, when the end is not loaded. */
  append(page: Page, hasNewer: boolean): boolean {
    if (!this.#knowsSince(page)) return false;
    const newest = this.#messages.at(-1)?.seq ?? 0;
    this.#messages.push(...page.messages.filter(({ seq }) => seq > newest));
    this.hasNewer = hasNewer;
    this.#letGo(KEPT);
    this.#replay(page);
    return true;
  }

  /** Trims the oldest messages while the user is at the end; in large steps, so that the list is seldom shifted. */
  trim(): void {
    if (this.#messages.length > KEPT_AT_END * 1.5) this.#letGo(KEPT_AT_END);
  }

  /** Limits what is kept while the user is elsewhere; newer messages are fetched again when the user scrolls to them. */
  hold(): void {
    if (this.#messages.length <= KEPT) return;
    this.#messages.length = KEPT;
    this.hasNewer = true;
  }

  find(id: number): ChatMessage | undefined {
    return this.#messages.findLast((message) => message.id === id);
  }

  /** Changes the thread of a message; returns false if the message is not loaded. */
  changeThread(rootId: number, to: (thread: Thread | null) => Thread | null): boolean {
    return this.#change(rootId, (root) => ({ ...root, thread: to(root.thread) }));
  }

  clear(): void {
    this.#messages = [];
    this.#pageSeq = 0;
    this.hasOlder = false;
    this.hasNewer = false;
  }

  #letGo(kept: number): void {
    if (this.#messages.length <= kept) return;
    this.#messages.splice(0, this.#messages.length - kept);
    this.hasOlder = true;
  }

  /** True if every event after the page is remembered. Before the first event, any page is accepted. */
  #knowsSince({ last_seq }: Page): boolean {
    if (this.#seq === null || last_seq >= this.#seq) return true;
    const first = this.#recent[0];
    return first !== undefined && first.data.seq <= last_seq + 1;
  }

  #replay({ last_seq }: Page): void {
    this.#pageSeq = Math.max(this.#pageSeq, last_seq);
    for (const event of this.#recent) if (event.data.seq > last_seq) this.#apply(event);
  }

  #apply(event: ChannelEvent): boolean {
    switch (event.event) {
      case "message:new": {
        const { chat_message } = event.data;
        const isCounted = this.#count(chat_message);
        return this.#add(chat_message) || isCounted;
      }
      case "message:update": {
        const { chat_message } = event.data;
        // Events are the same for all users; only the local copy knows which reactions are the user's own.
        return this.#change(chat_message.id, ({ reactions, thread, poll }) => ({
          ...chat_message,
          ...toldPoll(chat_message.poll, poll),
          reactions,
          thread: toldThread(thread, chat_message.thread),
        }));
      }
      case "history:purged":
        return this.#purge(event.data.before_message_id);
      case "message:delete":
        if (this.#dropExpired(event.data.message_id)) return true;
        return this.#change(event.data.message_id, (message) => ({
          ...withoutAdded(message),
          is_deleted: true,
          content: "",
          mentions: [],
          sticker: null,
          files: [],
          reactions: [],
          is_pinned: false,
        }));
      case "message:pin":
      case "message:unpin": {
        const { message_id, is_pinned, pinned_at, pinned_by } = event.data;
        return this.#change(message_id, (message) => ({ ...message, is_pinned, pinned_at, pinned_by }));
      }
      case "poll:update": {
        const { poll } = event.data;
        return this.#change(poll.poll_id, (message) => ({ ...message, ...toldPoll(poll, message.poll) }));
      }
      case "interaction:update": {
        const { interaction } = event.data;
        // Of an open card the event has the newest answer as its result; the message has none.
        const shown = interaction.kind === "open" ? { ...interaction, result: null } : interaction;
        return this.#change(event.data.message_id, (message) => ({ ...message, interaction: shown }));
      }
      case "message:preview":
        return this.#change(event.data.message_id, (message) => ({ ...message, previews: event.data.previews }));
      case "reaction:update":
        return this.#change(event.data.message_id, (message) => ({
          ...message,
          reactions: reactionsAfter(message.reactions, event.data, this.self),
        }));
      default:
        return false;
    }
  }

  /** Drops what the channel's limit of age has removed. Pins and roots of threads that stay are fetched when the user scrolls to them. */
  #purge(before: number): boolean {
    const kept = this.#messages.filter(({ id }) => id >= before);
    // Someone who reads old messages keeps their place until they leave it.
    if (kept.length === this.#messages.length || (kept.length === 0 && this.hasNewer)) return false;
    this.#messages = kept;
    this.hasOlder = kept.length > 0;
    return true;
  }

  /** Drops a message that has disappeared, as its sender wanted; it leaves no tombstone. */
  #dropExpired(id: number): boolean {
    const at = this.#messages.findLastIndex((message) => message.id === id);
    const expires = this.#messages[at]?.expires_at ?? null;
    if (expires === null || Date.parse(expires) > Date.now() + CLOCKS_MS) return false;
    this.#messages.splice(at, 1);
    return true;
  }

  /** Counts a reply in the thread that it belongs to. */
  #count(reply: ChatMessage): boolean {
    const rootId = reply.thread_root_id;
    return (
      rootId !== null && this.#change(rootId, (root) => ({ ...root, thread: threadAfter(root, reply, this.self) }))
    );
  }

  #add(message: ChatMessage): boolean {
    if (!this.#isShown(message)) return false;
    if (this.hasNewer || message.seq <= (this.#messages.at(-1)?.seq ?? 0)) return false;
    this.#messages.push(message);
    return true;
  }

  #change(id: number, to: (message: ChatMessage) => ChatMessage): boolean {
    const index = this.#messages.findLastIndex((message) => message.id === id);
    const message = this.#messages[index];
    if (message === undefined) return false;
    this.#messages[index] = to(message);
    return true;
  }
}
