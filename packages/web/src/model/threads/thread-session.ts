import type { HistoryQuery, HistoryResponse } from "@parley/protocol/messages";
import type { ChatMessage } from "@parley/protocol/models";
import type { ThreadResponse } from "@parley/protocol/thread-calls";
import type { Thread } from "@parley/protocol/threads";
import type { ChannelEvent } from "@parley/sdk";
import { Store } from "../../state/store.ts";
import { readUpTo } from "../calls/reading.ts";
import { Conversation, type ConversationView, type SharedParts } from "../conversation.ts";
import type { Growing } from "../growing/growing.ts";
import { PAGE, type Unread } from "../history-pages.ts";
import type { OnlineList } from "../online-list.ts";
import type { PendingMessages } from "../pending-messages.ts";
import type { Quotes } from "../quotes.ts";
import type { Suggested } from "../suggested.ts";
import { Timeline } from "../timeline.ts";
import { unreadAfter } from "./thread-rules.ts";

interface Dependencies {
  rootId: number;
  /** The parts of the channel that the thread uses. */
  channel: SharedParts;
  /** The seq of the last event that the channel has applied. */
  seq: number;
  self(): string | null;
  fetch(query: HistoryQuery): Promise<ThreadResponse>;
}

/** The page's session with the thread that is open beside its channel. The channel passes its events on. */
export class ThreadSession extends Conversation {
  declare readonly rootId: number;
  readonly pendingMessages: PendingMessages;
  readonly growing: Growing;
  readonly quotes: Quotes;
  readonly suggested: Suggested;
  readonly people: Store<OnlineList>;
  /** The reply from which on the user has marked the thread as unread; null: they have not, undefined: not loaded yet. */
  readonly unreadFromSeq = new Store<number | null | undefined>(undefined);
  /** The message that began the thread; null: not loaded yet. The list may hold later messages only. */
  readonly root = new Store<ChatMessage | null>(null);
  /** Keeps the root up to date. */
  readonly #rootOnly = new Timeline(() => false);
  readonly #self: () => string | null;
  /** What was unread in the first page, until it is shown. */
  #unread: Unread | null = null;
  #isLoaded = false;
  /** True while the page with the first unread reply is fetched, because the newest page does not hold it. */
  #isSeeking = false;

  constructor({ rootId, channel, seq, self, fetch }: Dependencies) {
    super({ rootId, self, fetch: async (query) => this.#read(await fetch(query)) });
    this.#self = self;
    const { pendingMessages, growing, quotes, suggested, people } = channel;
    this.pendingMessages = pendingMessages;
    this.growing = growing;
    this.quotes = quotes;
    this.suggested = suggested;
    this.people = people;
    this.ready(seq);
  }

  /** Shows a reply, or else the first unread one or the end. A later call without a reply leaves the list where it is. */
  open(messageId: number | null): void {
    if (messageId !== null) this.scrollTo(messageId);
    else if (!this.#isLoaded) this.pages.open(null);
  }

  close(): void {
    this.pages.close();
  }

  /** Applies an event of the channel. */
  take(event: ChannelEvent): void {
    if (event.event === "message:new") this.arrive(event.data.chat_message);
    this.apply(event);
    if (this.#rootOnly.apply(event)) this.#tellRoot();
    // The root of a thread may stay when older messages are removed.
    if (event.event === "history:purged") this.missed();
  }

  /** Changes what is known of a thread, if it is this one. */
  changeThread(rootId: number, to: (thread: Thread | null) => Thread | null): void {
    if (rootId !== this.rootId) return;
    if (this.timeline.changeThread(rootId, to)) this.draw();
    if (this.#rootOnly.changeThread(rootId, to)) this.#tellRoot();
  }

  /** Starts applying events after this seq. */
  ready(seq: number): void {
    const self = this.#self();
    this.timeline.self = self;
    this.#rootOnly.self = self;
    this.#rootOnly.begin(seq);
    this.pages.onReady(seq);
  }

  /** Repeats a fetch that failed, because the server is reachable again. */
  reconnected(): void {
    this.pages.retry();
  }

  /** Fetches again, because events were missed. */
  missed(): void {
    this.pages.onGap();
  }

  /** Drops everything, because the server has other data. */
  reset(): void {
    this.pages.forget();
  }

  #read(page: ThreadResponse): HistoryResponse {
    if (this.#rootOnly.replace({ messages: [page.root], last_seq: page.last_seq }, NO_EDGES)) this.#tellRoot();
    if (!this.#isLoaded) {
      this.#unread = unreadIn(page, this.#self());
      this.unreadFromSeq.set(page.unread_from_seq ?? null);
    }
    this.#isLoaded = true;
    return page;
  }

  #tellRoot(): void {
    this.root.set(this.#rootOnly.messages[0] ?? null);
  }

  /** Marks what was unread when the thread opens, and begins there unless a reply was asked for. */
  protected override show(change: Partial<ConversationView>): boolean {
    const unread = this.#unread;
    if (unread === null || change.state !== "ready" || change.place === undefined) return super.show(change);
    const [first] = this.timeline.messages;
    const isBelow = this.timeline.hasOlder && first !== undefined && first.seq > unread.afterSeq + 1;
    if (isBelow && change.place.messageId === null && !this.#isSeeking) {
      this.#isSeeking = true;
      this.pages.open({ ...unread, count: Math.max(PAGE, unread.count) });
      return super.show({ state: "loading" });
    }
    this.#isSeeking = false;
    this.#unread = null;
    const place = change.place.messageId === null ? { messageId: null, unread } : change.place;
    return super.show({ ...change, newAfterSeq: unread.afterSeq, place });
  }
}

/** Returns what is unread in a thread, by its newest page; null: nothing. */
function unreadIn(page: ThreadResponse, self: string | null): Unread | null {
  const { root, messages, has_more, last_read_seq = null, unread_from_seq = null } = page;
  const count = root.thread?.unread_count ?? 0;
  if (count === 0) return null;
  const readSeq = last_read_seq === null ? null : readUpTo({ last_read_seq, unread_from_seq });
  const unread = messages.filter(({ seq, username }) => seq > (readSeq ?? seq) && username !== self).length;
  // The page does not hold all that is unread.
  if (readSeq !== null && has_more && unread < count) return { afterSeq: readSeq, count };
  const afterSeq = unreadAfter(messages, count, self);
  return afterSeq === null ? null : { afterSeq, count };
}

const NO_EDGES = { hasOlder: false, hasNewer: false };
