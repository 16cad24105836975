import type { HistoryQuery, HistoryResponse } from "@parley/protocol/messages";
import type { ChatMessage } from "@parley/protocol/models";
import type { ChannelEvent } from "@parley/sdk";
import { oncePerFrame } from "../state/frame-throttle.ts";
import { Store } from "../state/store.ts";
import { ComposeState } from "./compose-state.ts";
import type { Growing } from "./growing/growing.ts";
import type { GrowingMessage } from "./growing/growing-message.ts";
import { HistoryPages, type InView, type Place } from "./history-pages.ts";
import { changeAtOneEnd } from "./list-window.ts";
import type { OnlineList } from "./online-list.ts";
import type { PendingMessage } from "./pending-message.ts";
import type { PendingMessages } from "./pending-messages.ts";
import type { Quotes } from "./quotes.ts";
import type { Suggested } from "./suggested.ts";
import { isShownIn } from "./threads/thread-rules.ts";
import { Timeline } from "./timeline.ts";

/** The part of a channel or thread that its list of messages shows. */
export interface ConversationView {
  /** `gone`: the server has no such thread. */
  state: "loading" | "ready" | "failed" | "gone";
  messages: readonly ChatMessage[];
  hasOlder: boolean;
  hasNewer: boolean;
  /** Messages after this seq are marked as new; null: none are. */
  newAfterSeq: number | null;
  /** Whoever has seen the newest message has seen all up to this seq; 0: newer messages are not loaded. */
  endSeq: number;
  /** Where to scroll; each new object triggers scrolling once. */
  place: Place;
}

export const NOTHING_LOADED: ConversationView = {
  state: "loading",
  messages: [],
  hasOlder: false,
  hasNewer: false,
  newAfterSeq: null,
  endSeq: 0,
  place: { messageId: null },
};

/** What a thread shares with its channel. */
export interface SharedParts {
  /** Of the channel; those of its threads are among them. */
  readonly pendingMessages: PendingMessages;
  /** Of the channel; those of its threads are among them. */
  readonly growing: Growing;
  readonly quotes: Quotes;
  readonly suggested: Suggested;
  readonly people: Store<OnlineList>;
}

interface Parts {
  /** The message that began the thread; null: the conversation is the channel itself. */
  rootId: number | null;
  fetch(query: HistoryQuery): Promise<HistoryResponse>;
  /** The user's name; null for a guest. */
  self(): string | null;
}

/** A list of messages with a composer below it: a channel, or a thread in it. */
export abstract class Conversation implements SharedParts {
  readonly rootId: number | null;
  readonly view = new Store(NOTHING_LOADED);
  readonly composeState = new ComposeState();
  abstract readonly pendingMessages: PendingMessages;
  abstract readonly growing: Growing;
  abstract readonly quotes: Quotes;
  abstract readonly suggested: Suggested;
  abstract readonly people: Store<OnlineList>;
  /** Messages the user jumped from to see a quoted message; the most recent is last. */
  readonly returns = new Store<readonly number[]>([]);
  /** Long messages that are shown whole while the page is open; also the negative ids of streams that grew here. */
  readonly unfolded = new Set<number>();
  /** The newest message that arrived live, for screen readers. */
  readonly arrived = new Store<ChatMessage | null>(null);
  /** Returns the message at the top of the visible part of the list; set by the list while it is shown. */
  inView: () => InView | null = () => null;
  protected readonly timeline: Timeline;
  protected readonly pages: HistoryPages;
  /** True while the newest message is visible: then old messages are trimmed and nothing is marked as new. */
  protected isAtEnd = true;
  readonly #self: () => string | null;
  #newest: ChatMessage | null = null;
  /** Keys of the user's own messages that have arrived, to be settled at the next render. */
  readonly #settled: string[] = [];

  constructor({ rootId, fetch, self }: Parts) {
    this.rootId = rootId;
    this.#self = self;
    this.timeline = new Timeline((message) => isShownIn(rootId, message));
    const inView = () => (this.isAtEnd ? null : this.inView());
    this.pages = new HistoryPages(this.timeline, fetch, (change) => this.show(change), inView);
  }

  /** The newest seq of a loaded message; 0 without one. */
  get newestSeq(): number {
    return this.timeline.messages.at(-1)?.seq ?? 0;
  }

  /** True if the conversation shows a message that is being sent. */
  isSendingHere({ threadRootId, alsoInChannel }: PendingMessage): boolean {
    return isShownIn(this.rootId, { id: 0, thread_root_id: threadRootId, also_in_channel: alsoInChannel });
  }

  /** True if the conversation shows a message that is being written. */
  isWritingHere({ message }: GrowingMessage): boolean {
    return isShownIn(this.rootId, message);
  }

  /** Scrolls to another message; null: to the end. */
  scrollTo(messageId: number | null): void {
    if (messageId === null) {
      this.show({ newAfterSeq: null });
      this.returns.set([]);
    }
    this.pages.open(messageId ?? "end");
  }

  /** Scrolls to the first of the messages that are marked as new, of which there are at least `count`. */
  scrollToNew(count: number): void {
    const { newAfterSeq } = this.view.get();
    if (newAfterSeq !== null) this.pages.open({ afterSeq: newAfterSeq, count });
  }

  /** Jumps to a quoted message, and remembers where the user was. */
  jump(fromId: number, toId: number): void {
    this.returns.change((all) => [...all.filter((id) => id !== fromId), fromId]);
    this.scrollTo(toId);
  }

  /** Returns to the message the user jumped from last. */
  back(): void {
    const from = this.returns.get().at(-1);
    this.returns.change((all) => all.slice(0, -1));
    if (from !== undefined) this.scrollTo(from);
  }

  retry(): void {
    this.pages.open("end");
  }

  loadOlder(): void {
    void this.pages.older();
  }

  loadNewer(): void {
    void this.pages.newer();
  }

  /** Sets whether the newest message is visible and the user is looking at it. */
  setAtEnd(isAtEnd: boolean): void {
    this.isAtEnd = isAtEnd;
  }

  /** Marks the messages after this seq as new. */
  markNew(newAfterSeq: number): void {
    this.show({ newAfterSeq });
  }

  /** Clears the "new" line when everything has been seen; the next message to arrive is new. */
  seen(): void {
    if (this.isAtEnd && this.view.get().newAfterSeq !== null) this.show({ newAfterSeq: null });
  }

  find(messageId: number): ChatMessage | undefined {
    return this.timeline.find(messageId);
  }

  /** Takes what a new message says before it is applied: a pending message has arrived, or something is new. */
  protected arrive(message: ChatMessage): void {
    if (!isShownIn(this.rootId, message)) return;
    if (message.client_msg_id !== null) this.#settled.push(message.client_msg_id);
    if (message.username !== null && message.username === this.#self()) return;
    this.#newest = message;
    const isSeen = this.isAtEnd && document.visibilityState === "visible" && document.hasFocus();
    if (!isSeen && this.view.get().newAfterSeq === null) this.show({ newAfterSeq: message.seq - 1 });
  }

  /** Applies an event to what is loaded. */
  protected apply(event: ChannelEvent): void {
    if (this.timeline.apply(event) || this.#settled.length > 0) this.draw();
  }

  protected readonly draw = oncePerFrame(() => this.#drawNow());

  /** Renders after the frame, not within it. Rows measured in the same frame would be counted as scrolling. */
  readonly #drawRest = oncePerFrame(() => setTimeout(() => this.#drawNow()));

  #drawNow(): void {
    if (this.isAtEnd) this.timeline.trim();
    else this.timeline.hold();
    if (!this.show({})) return;
    for (const key of this.#settled.splice(0)) this.pendingMessages.settle(key);
    this.arrived.set(this.#newest);
  }

  /** Returns true if everything is shown; otherwise the rest follows at the next render. */
  protected show(change: Partial<ConversationView>): boolean {
    const { messages, hasOlder, hasNewer, endSeq } = this.timeline;
    // A change of place needs no scroll position to be kept.
    const next = change.place === undefined ? changeAtOneEnd(this.view.get().messages, messages) : messages;
    const isCut = next[0] !== messages[0];
    const isEndCut = next.at(-1) !== messages.at(-1);
    this.view.change((view) => ({
      ...view,
      ...change,
      messages: [...next],
      hasOlder: hasOlder || isCut,
      // Do not report the end before it is shown: the list would scroll to it.
      hasNewer: isEndCut ? view.hasNewer : hasNewer,
      endSeq: isEndCut ? 0 : endSeq,
    }));
    const isAll = next.length === messages.length;
    // The list has to settle its scroll position between the two renders.
    if (!isAll) this.#drawRest();
    return isAll;
  }
}
